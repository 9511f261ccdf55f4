import type { GateMe } from '@sallyport/contract'
import { type ReactNode, useEffect } from 'react'
import { SessionEnded, useGate } from '../api/use-gate.ts'
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx'
import { Alone, Frame } from './frame.tsx'

/**
 * A page for whoever this browser is signed in as; the others sign in first. Another tab may sign out or in as somebody
 * else, so it asks again whenever this one is looked at.
 */
export function SignedIn(props: {
  /** What signing in is for, where it is for something: "To enter the site". */
  readonly purpose?: string
  readonly children: (me: GateMe) => ReactNode
}) {
  const { data: me, refusal, again } = useGate<GateMe>('me')
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') again()
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [again])
  if (me)
    return (
      <SessionEnded value={again}>
        <Frame key={me.researcher.id} me={me}>
          {props.children(me)}
        </Frame>
      </SessionEnded>
    )
  if (refusal?.status === 401) return <SignInPage purpose={props.purpose} onSignedIn={again} />
  if (refusal)
    return (
      <Alone title="The gate could not say who you are">
        <p role="alert">{refusal.message}</p>
        <button type="button" onClick={again}>
          Try again
        </button>
      </Alone>
    )
  return (
    <main className="page">
      <p role="status">Loading…</p>
    </main>
  )
}
