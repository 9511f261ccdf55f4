import type { GateSignIn } from '@sallyport/contract'
import { type FormEvent, type RefObject, useRef, useState } from 'react'
import { callGate, OtherSession, refusalOf } from '../../api/gate-api.ts'
import { Alone } from '../../design/alone.tsx'
import { ReplaceQuestion } from '../../parts/session/replace-question.tsx'

/**
 * Signs in by a key. The key is exchanged for a session and then forgotten: it stays in the field while the gate is asked,
 * and nowhere after that.
 */
export function SignInPage(props: { readonly purpose: string | undefined; readonly onSignedIn: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  const { signIn, finish, isBusy, fault, other } = useKeySignIn(field, props.onSignedIn)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void signIn(false)
  }
  return (
    <Alone title="For invited researchers">
      <p>
        {props.purpose ? `${props.purpose}, sign in here. ` : null}Open the invitation link that you were
        sent: it signs this browser in.
      </p>
      <p className="soft">
        Or show your key once. It is exchanged for a session of this browser, and this page does not keep it.
      </p>
      <form onSubmit={submit} className="row" hidden={other !== undefined}>
        <label htmlFor="key">Key</label>
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
          Sign in
        </button>
      </form>
      {other ? <ReplaceQuestion other={other} onReplace={() => void signIn(true)} onKeep={finish} /> : null}
      {fault ? <p role="alert">{fault}</p> : null}
    </Alone>
  )
}

/** Exchanges the key in the field, which is emptied once the key is no longer needed. */
function useKeySignIn(field: RefObject<HTMLInputElement | null>, onSignedIn: () => void) {
  const [fault, setFault] = useState('')
  const [other, setOther] = useState<OtherSession>()
  const [isBusy, setIsBusy] = useState(false)
  const finish = () => {
    if (field.current) field.current.value = ''
    onSignedIn()
  }
  const signIn = async (replace: boolean) => {
    const body: GateSignIn = { key: field.current?.value.trim() ?? '', ...(replace ? { replace } : {}) }
    setIsBusy(true)
    setFault('')
    setOther(undefined)
    try {
      await callGate('session', { method: 'POST', body })
      finish()
    } catch (error) {
      if (error instanceof OtherSession) setOther(error)
      else setFault(refusalOf(error).message)
    } finally {
      setIsBusy(false)
    }
  }
  return { signIn, finish, isBusy, fault, other }
}
