/** Signing in and out at the gate's own host: by a key, or by an invitation, which is used up at the control plane. */
import { createHash } from 'node:crypto'
import { GATE_API_PATH, type GateMe, type ResearcherConfig } from '@sallyport/contract/words'
import { networkOf } from '@sallyport/policy'
import type { AcceptInvitation } from '../control-plane/control-client.ts'
import {
  KEY_CHARS_MAX,
  noteResearcher,
  type Recognized,
  type Recognizer,
  recognizeKey,
} from '../credentials/recognize.ts'
import { GATE_SESSION, noSessionCookie, sessionCookie } from '../credentials/session.ts'
import type { Answer, Exchange, Refusal, Reply, Stage, Verdict } from '../exchange/exchange.ts'
import { refuse } from '../exchange/exchange.ts'
import { sealKeyOf } from '../snapshot/seal-keys.ts'
import type { SnapshotSource } from '../snapshot/snapshot.ts'
import type { CallThrottles } from './call-throttle.ts'
import { json, jsonText, nothingHere, withFields } from './json-call.ts'

export interface SessionParts {
  readonly snapshots: SnapshotSource
  /** Uses up an invitation at the control plane. */
  readonly acceptInvitation: AcceptInvitation
  readonly throttles: CallThrottles
}

const SESSION_PATH = `${GATE_API_PATH}session`
const INVITATIONS_PATH = `${GATE_API_PATH}invitations`
const ANY_KEY = new RegExp(`^[!-~]{1,${KEY_CHARS_MAX}}$`)
const TOKEN = /^[\w-]{16,128}$/
const ATTEMPT = /^[\w-]{22}$/
const ACCEPTANCES_AT_ONCE_MAX = 32
/** Of one network, so that invented tokens leave places to others while the control plane is slow. */
const ACCEPTANCES_OF_NETWORK_MAX = 8

/** Makes the stage: it answers the calls that begin and end a session. */
export function createSessionStage(parts: SessionParts, recognize: Recognizer): Stage {
  /** How many wait for the control plane, by network. */
  const acceptances = new Map<string, number>()
  let acceptancesAtOnce = 0
  const admit = ({ request }: Exchange): boolean | Promise<boolean> =>
    parts.throttles.attempts(networkOf(request.clientAddress), performance.now())

  const accept = async (exchange: Exchange, body: AcceptedBody): Promise<Answer> => {
    const network = networkOf(exchange.request.clientAddress)
    const ofNetwork = acceptances.get(network) ?? 0
    if (acceptancesAtOnce >= ACCEPTANCES_AT_ONCE_MAX || ofNetwork >= ACCEPTANCES_OF_NETWORK_MAX)
      return controlAway()
    acceptancesAtOnce += 1
    acceptances.set(network, ofNetwork + 1)
    try {
      return await acceptInvitation(exchange, body, parts, recognize(exchange))
    } finally {
      acceptancesAtOnce -= 1
      const left = (acceptances.get(network) ?? 1) - 1
      if (left > 0) acceptances.set(network, left)
      else acceptances.delete(network)
    }
  }

  const attempt = (exchange: Exchange, isAdmitted: boolean): Verdict => {
    if (!isAdmitted) return refuse(429, 'limit', 'too_many_attempts', { retryAfterS: 1 })
    const { target } = exchange.request
    if (target === SESSION_PATH)
      return withFields(exchange, ['key', 'replace'], (fields) => {
        const key = fields.text('key', ANY_KEY, `up to ${KEY_CHARS_MAX} characters without spaces`)
        return signIn(exchange, recognizeKey(key, parts.snapshots.current), {
          replace: fields.flag('replace'),
          before: recognize(exchange),
        })
      })
    return withFields(exchange, ['token', 'attempt', 'replace'], (fields) =>
      accept(exchange, {
        token: fields.text('token', TOKEN, 'the token of an invitation link'),
        attempt: fields.text('attempt', ATTEMPT, '22 characters of base64url'),
        replace: fields.flag('replace'),
      }),
    )
  }

  return (exchange) => {
    const { target, method } = exchange.request
    if (target === SESSION_PATH && method === 'DELETE') return signOut(exchange, recognize(exchange))
    if (method !== 'POST' || (target !== SESSION_PATH && target !== INVITATIONS_PATH))
      return target === SESSION_PATH || target === INVITATIONS_PATH ? nothingHere(405) : null
    const admitted = admit(exchange)
    return admitted instanceof Promise
      ? admitted.then((isAdmitted) => attempt(exchange, isAdmitted))
      : attempt(exchange, admitted)
  }
}

interface Before {
  readonly replace: boolean
  /** Who is signed in in this browser. */
  readonly before: Recognized | null
}

function signIn(exchange: Exchange, found: Recognized | null, { replace, before }: Before): Answer {
  if (!found) return refuse(401, 'gate', 'unknown_credential')
  noteResearcher(exchange, found)
  if (before && before.researcher.id !== found.researcher.id && !replace)
    return otherSession(before.researcher)
  return begin(exchange, found.researcher, found.keyId)
}

interface AcceptedBody {
  readonly token: string
  readonly attempt: string
  readonly replace: boolean
}

async function acceptInvitation(
  exchange: Exchange,
  { token, attempt, replace }: AcceptedBody,
  { snapshots, acceptInvitation: ask }: SessionParts,
  before: Recognized | null,
): Promise<Answer> {
  const accepted = await ask({
    tokenHash: createHash('sha256').update(token).digest('hex'),
    attempt,
    requestId: exchange.event.id,
    keepResearcherId: before && !replace ? before.researcher.id : '',
  })
  if (accepted === 'away') return controlAway()
  if (accepted === 'unknown') return refuse(404, 'gate', 'unknown_credential')
  if (accepted === 'other') return before ? otherSession(before.researcher) : controlAway()
  const researcher = snapshots.current.researcher(accepted.researcherId)
  // Invited a moment ago, and not known here yet: the page tries again, and the same attempt is answered the same.
  if (!researcher || researcher.orgId !== accepted.orgId) return controlAway()
  exchange.researcher = researcher
  exchange.event.orgId = researcher.orgId
  exchange.event.researcherId = researcher.id
  exchange.event.credential = 'session'
  return begin(exchange, { ...researcher, sessionGeneration: accepted.sessionGeneration }, '')
}

const controlAway = (): Refusal => refuse(503, 'gate', 'control_away', { retryAfterS: 1 })

const otherSession = ({ name, email }: ResearcherConfig): Refusal =>
  refuse(409, 'gate', 'other_session', { members: { signedInAs: { name, email } } })

function begin(exchange: Exchange, researcher: ResearcherConfig, keyId: string): Answer {
  const key = sealKeyOf(exchange.snapshot, researcher.orgId)
  if (key === '') return controlAway()
  const cookie = sessionCookie({ kind: GATE_SESSION, host: exchange.request.host }, key, researcher, keyId)
  return json(describeMe(exchange, researcher, 'session'), { recorded: true, cookie })
}

function signOut(exchange: Exchange, found: Recognized | null): Reply {
  if (found) noteResearcher(exchange, found)
  return jsonText('', { recorded: found !== null, cookie: noSessionCookie(GATE_SESSION) })
}

/** Who is signed in. */
export const describeMe = (
  { snapshot }: Exchange,
  { id, orgId, name, email, expiresAt }: ResearcherConfig,
  credential: GateMe['credential'],
): GateMe => ({
  researcher: { id, name, email },
  organization: snapshot.organization(orgId)?.name ?? '',
  contact: snapshot.organization(orgId)?.contact ?? '',
  expiresAt,
  credential,
})
