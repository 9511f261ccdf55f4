import type { GateSignIn } from '@sallyport/contract'
import { type FormEvent, useRef, useState } from 'react'
import { call, OtherSession, refusalOf } from '../../api/gate-api.ts'
import { Alone } from '../../app/frame.tsx'
import { ReplaceQuestion } from '../../parts/session/replace-question.tsx'

/**
 * Signs in by a key. The key is exchanged for a session and then forgotten: it stays in the field while the gate is asked,
 * and nowhere after that.
 */
export function SignInPage(props: { readonly purpose: string | undefined; readonly onSignedIn: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  const [fault, setFault] = useState('')
  const [other, setOther] = useState<OtherSession>()
  const [isBusy, setIsBusy] = useState(false)
  const forget = () => {
    if (field.current) field.current.value = ''
  }
  const show = async (replace: boolean) => {
    const body: GateSignIn = { key: field.current?.value.trim() ?? '', ...(replace ? { replace } : {}) }
    setIsBusy(true)
    setFault('')
    setOther(undefined)
    try {
      await call('session', { method: 'POST', body })
      forget()
      props.onSignedIn()
    } catch (error) {
      if (error instanceof OtherSession) setOther(error)
      else setFault(refusalOf(error).message)
    } finally {
      setIsBusy(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void show(false)
  }
  const keep = () => {
    forget()
    props.onSignedIn()
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
      {other ? <ReplaceQuestion other={other} onReplace={() => void show(true)} onKeep={keep} /> : null}
      {fault ? <p role="alert">{fault}</p> : null}
    </Alone>
  )
}
