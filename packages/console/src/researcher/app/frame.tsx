/** What stands around every page: whose session this is, the way home, and the way out. */
import type { GateMe } from '@sallyport/contract'
import { type ReactNode, useEffect, useState } from 'react'
import { call, refusalOf } from '../api/gate-api.ts'

export function Frame({ me, children }: { readonly me: GateMe; readonly children: ReactNode }) {
  return (
    <>
      <header className="bar">
        <nav aria-label="Pages">
          <a href="/">Your sites</a>
        </nav>
        <span className="who">
          <strong>{nameOf(me.researcher)}</strong> <span className="soft">for {me.organization}</span>
        </span>
        <SignOut />
      </header>
      <main className="page">{children}</main>
    </>
  )
}

/** A page of one panel, for what is asked or said before there is more to show. */
export function Alone({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useTitle(title)
  return (
    <main className="page narrow">
      <h1>{title}</h1>
      <section className="panel">{children}</section>
    </main>
  )
}

function SignOut() {
  const [fault, setFault] = useState('')
  const signOut = () =>
    call('session', { method: 'DELETE' }).then(
      () => location.assign('/'),
      (error: unknown) => setFault(refusalOf(error).message),
    )
  return (
    <span className="out">
      {fault ? <span role="alert">{fault}</span> : null}
      <button type="button" className="quiet" onClick={() => void signOut()}>
        Sign out
      </button>
    </span>
  )
}

/** A name that somebody recognizes, and the address where there is none. */
export const nameOf = ({ name, email }: { readonly name: string; readonly email: string }): string =>
  name || email

/** The same with the address, which tells people of one name apart. */
export const personOf = ({ name, email }: { readonly name: string; readonly email: string }): string =>
  name ? `${name} (${email})` : email

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – Sallyport`
  }, [title])
}
