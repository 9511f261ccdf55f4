import type { GateInvitation } from '@sallyport/contract'
import { useRef } from 'react'
import { callGate, OtherSession, refusalOf } from '../../api/gate-api.ts'
import { Alone } from '../../design/alone.tsx'
import { ReplaceQuestion } from '../../parts/session/replace-question.tsx'
import { useSessionCall } from '../../parts/session/use-session-call.ts'
import { texts } from './texts.ts'

/** No answer, or none from the control plane: whether the invitation was used is not known, so the call is repeated. */
const UNCERTAIN: ReadonlySet<number> = new Set([0, 502, 503, 504])
/** Repetitions without a click; after these a button repeats. */
const REPEATS = 2
const PAUSE_MS = 700
/** What the gate answers where an invitation is used, lapsed, ended or was never one. */
const NO_MORE: ReadonlySet<number> = new Set([401, 404, 410])

/** Accepts an invitation: asks first, so that nobody loses it by opening the link by chance or by somebody's trick. */
export function InvitationPage({ fragment }: { readonly fragment: string }) {
  const token = new URLSearchParams(fragment).get('token') ?? ''
  // The same for every repetition, so that an answer that was lost is not an invitation that was lost.
  const attempt = useRef(newAttempt())
  const { begin, isBusy, refusal, other } = useSessionCall(async (replace) => {
    await acceptInvitation({ token, attempt: attempt.current, ...(replace ? { replace } : {}) })
    location.replace('/')
    // The page is being left, so the call stays under way.
    return new Promise(() => {})
  })
  // The gate says 400 to what is no token at all.
  if (token === '' || refusal?.status === 400) return <BrokenLink />
  if (refusal && NO_MORE.has(refusal.status)) return <NoLongerValid />
  return (
    <Alone title={texts.acceptThisInvitation}>
      {other ? (
        <ReplaceQuestion
          other={other}
          onReplace={() => void begin(true)}
          onKeep={() => location.replace('/')}
        />
      ) : (
        <>
          <p>{texts.itSignsThisBrowser}</p>
          {refusal ? <p role="alert">{texts.theInvitationIs(refusal.message)}</p> : null}
          <button type="button" disabled={isBusy} onClick={() => void begin(false)}>
            {refusal ? texts.tryAgain : texts.accept}
          </button>
        </>
      )}
    </Alone>
  )
}

function BrokenLink() {
  return (
    <Alone title={texts.thisInvitationLink}>
      <p>{texts.openTheWholeLink(<code>#</code>)}</p>
      <a href="/">{texts.goToYourSites}</a>
    </Alone>
  )
}

function NoLongerValid() {
  return (
    <Alone title={texts.thisInvitationIs}>
      <p role="alert">{texts.itWasUsed}</p>
      <a href="/">{texts.goToYourSites}</a>
    </Alone>
  )
}

async function acceptInvitation(body: GateInvitation): Promise<void> {
  for (let repeat = 0; ; repeat++)
    try {
      return await callGate('invitations', { method: 'POST', body })
    } catch (error) {
      const isUncertain = !(error instanceof OtherSession) && UNCERTAIN.has(refusalOf(error).status)
      if (!isUncertain || repeat === REPEATS) throw error
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
}

/** 128 random bits, base64url: 22 characters. */
function newAttempt(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
