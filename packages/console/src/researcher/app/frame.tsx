/** What is around every page: whose session this is, the way home, and the way out. */
import type { GateMe } from '@sallyport/contract'
import { type ReactNode, useState } from 'react'
import { personName } from '../../language/names.ts'
import { callGate, refusalOf } from '../api/gate-api.ts'
import { texts } from './texts.ts'

export function Frame({ me, children }: { readonly me: GateMe; readonly children: ReactNode }) {
  return (
    <>
      <header className="bar">
        <nav aria-label={texts.pages}>
          <a href="/">{texts.yourSites}</a>
        </nav>
        <span className="who">
          <strong>{personName(me.researcher)}</strong>{' '}
          <span className="soft">{texts.for(me.organization)}</span>
        </span>
        <SignOut />
      </header>
      <main className="page">{children}</main>
    </>
  )
}

function SignOut() {
  const [fault, setFault] = useState('')
  const signOut = () =>
    callGate('session', { method: 'DELETE' }).then(
      () => location.assign('/'),
      (error: unknown) => setFault(refusalOf(error).message),
    )
  return (
    <span className="out">
      {fault ? <span role="alert">{fault}</span> : null}
      <button type="button" className="quiet" onClick={() => void signOut()}>
        {texts.signOut}
      </button>
    </span>
  )
}
