import type { GateSignIn } from '@sallyport/contract'
import { type FormEvent, useRef } from 'react'
import { callGate } from '../../api/gate-api.ts'
import { Alone } from '../../design/alone.tsx'
import { ReplaceQuestion } from '../../parts/session/replace-question.tsx'
import { useSessionCall } from '../../parts/session/use-session-call.ts'
import { texts } from './texts.ts'

/**
 * Signs in by a key. The key is exchanged for a session and then forgotten: it stays in the field while the gate is asked,
 * and nowhere after that.
 */
export function SignInPage(props: { readonly purpose: string | undefined; readonly onSignedIn: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  const finish = () => {
    if (field.current) field.current.value = ''
    props.onSignedIn()
  }
  const { begin, isBusy, refusal, other } = useSessionCall(async (replace) => {
    const body: GateSignIn = { key: field.current?.value.trim() ?? '', ...(replace ? { replace } : {}) }
    await callGate('session', { method: 'POST', body })
    finish()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void begin(false)
  }
  return (
    <Alone title={texts.forInvitedResearchers}>
      <p>{texts.signInHereOpen(props.purpose)}</p>
      <p className="soft">{texts.orShowYourKey}</p>
      <form onSubmit={submit} className="row" hidden={other !== undefined}>
        <label htmlFor="key">{texts.key}</label>
        <input
          id="key"
          ref={field}
          type="password"
          autoComplete="off"
          placeholder="rk_live_…"
          maxLength={128}
          required
        />
        <button type="submit" disabled={isBusy}>
          {texts.signIn}
        </button>
      </form>
      {other ? <ReplaceQuestion other={other} onReplace={() => void begin(true)} onKeep={finish} /> : null}
      {refusal ? (
        <div role="alert">
          <p>{refusal.message}</p>
          {refusal.status === 401 ? <p className="soft">{texts.isTheKeyWhole}</p> : null}
        </div>
      ) : null}
    </Alone>
  )
}
