import type { GateMe } from '@sallyport/contract'
import { type ReactNode, useEffect } from 'react'
import { SessionEnded, useGateQuery } from '../api/use-gate-query.ts'
import { Alone } from '../design/alone.tsx'
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx'
import { Frame } from './frame.tsx'
import { texts } from './texts.ts'

/**
 * A page for the researcher whom this browser is signed in as; anybody else signs in first. Another tab may sign out, or in
 * as somebody else, so it asks again whenever this tab becomes visible.
 */
export function SignedIn(props: {
  /** What signing in is for, where it is for something: "To enter the site". */
  readonly purpose?: string
  readonly children: (me: GateMe) => ReactNode
}) {
  const { data: me, refusal, refetch } = useGateQuery<GateMe>('me', undefined, true)
  useEffect(() => {
    const onVisibility = () => {
      if (document.visibilityState === 'visible') refetch()
    }
    document.addEventListener('visibilitychange', onVisibility)
    return () => document.removeEventListener('visibilitychange', onVisibility)
  }, [refetch])
  if (me)
    return (
      <SessionEnded value={refetch}>
        <Frame key={me.researcher.id} me={me}>
          {props.children(me)}
        </Frame>
      </SessionEnded>
    )
  if (refusal?.status === 401) return <SignInPage purpose={props.purpose} onSignedIn={refetch} />
  if (refusal)
    return (
      <Alone title={texts.theGateCould}>
        <p role="alert">{refusal.message}</p>
        <button type="button" onClick={refetch}>
          {texts.tryAgain}
        </button>
      </Alone>
    )
  return (
    <main className="page">
      <p role="status">{texts.loading}</p>
    </main>
  )
}
