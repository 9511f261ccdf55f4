/**
 * Invitation links, for browsers: `/.sallyport/invite?token=…` on the gated host begins a session and leads to the site.
 * A stage of its own before the researcher stage, because whoever follows the link has no credential yet.
 */
import { createHash } from 'node:crypto'
import { INVITATION_PATH, RESEARCHER_PAGE_PATH } from '@sallyport/contract/words'
import { type Exchange, type Reply, refuse, type Stage, type Verdict } from '../../exchange.ts'
import { sealSession, sessionCookie } from '../../session-cookie.ts'
import { whyNotAdmitted } from './judge-researcher.ts'

const TOKEN_CHARS_MAX = 256

/** Makes the stage. `pageServed`: whether the researcher's page is there to be led to; else the site itself is. */
export function createInvitationStage(pageServed: boolean): Stage {
  return (exchange) => {
    if (!exchange.request.target.startsWith(INVITATION_PATH)) return null
    const [path, query = ''] = exchange.request.target.split('?', 2)
    if (path !== INVITATION_PATH) return null
    const token = new URLSearchParams(query).get('token') ?? ''
    return accept(exchange, token, pageServed ? RESEARCHER_PAGE_PATH : '/')
  }
}

function accept(exchange: Exchange, token: string, leadsTo: string): Verdict {
  const { snapshot, site, event, request } = exchange
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'gate', 'unknown_credential')
  if (token === '' || token.length > TOKEN_CHARS_MAX) return refuse(401, 'gate', 'unknown_credential')
  const hash = createHash('sha256').update(token).digest('hex')
  const researcher = snapshot.researcherByInvitation(hash)
  const invitation = researcher?.invitations.find((open) => open.hash === hash)
  const lapsed = !invitation || (invitation.expiresAt !== null && event.time >= invitation.expiresAt)
  if (!researcher || !site || !snapshot.installation || lapsed || researcher.orgId !== site.config.orgId)
    return refuse(401, 'gate', 'unknown_credential')
  event.researcherId = researcher.id
  event.credential = 'session'
  const reason = whyNotAdmitted(researcher, site, event.time)
  if (reason) return refuse(403, 'gate', reason)
  const session = {
    researcherId: researcher.id,
    generation: researcher.sessionGeneration,
    issuedAt: event.time,
  }
  return redirect(leadsTo, sessionCookie(sealSession(session, snapshot.installation.sessionKey)))
}

const redirect = (location: string, cookie: string): Reply => ({
  kind: 'reply',
  status: 303,
  headers: [
    'Location',
    location,
    'Set-Cookie',
    cookie,
    'Cache-Control',
    'no-store',
    'Referrer-Policy',
    'no-referrer',
  ],
  body: '',
  recorded: true,
})
