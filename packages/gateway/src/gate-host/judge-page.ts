/** Serves the files of the researcher's page: the same for everyone, so they are served to everyone. */
import { GATE_INVITATION_PATH, GATE_SIGN_IN_PATH } from '@sallyport/contract/words'
import { type Reply, refuse, type Stage } from '../exchange/exchange.ts'
import { isForDocument } from '../exchange/request-headers.ts'
import type { GateAddress } from '../snapshot/gate-address.ts'
import type { PageFile } from './page-files.ts'

/** Every page is this document; which one it shows is the address's to say. */
const DOCUMENT = '/'
const PAGES: ReadonlySet<string> = new Set([DOCUMENT, GATE_SIGN_IN_PATH, GATE_INVITATION_PATH])
const SITE_PAGE = /^\/sites\/[\w-]{1,64}$/

/** Makes the stage. */
export function createPageStage(files: ReadonlyMap<string, PageFile>): Stage {
  return ({ request, snapshot }) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null
    const [path = '', query = ''] = request.target.split('?', 2)
    const isPage = PAGES.has(path) || SITE_PAGE.test(path)
    const file = files.get(isPage ? DOCUMENT : path)
    if (!file) return null
    if (isPage && !isForDocument(request)) return refuse(403, 'gate', 'foreign_page')
    const asked = path === GATE_SIGN_IN_PATH ? new URLSearchParams(query).get('host') : null
    return serve(file, policyOf(snapshot.gate, asked ?? ''))
  }
}

const AUTHORITY = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::\d{1,5})?$/

/**
 * The page runs its own files alone, cannot be framed, and talks to the gate alone: to this host and, while somebody is led
 * from a gated host through here and back, to that one. Which names are published is no business of strangers, so the gated
 * host is allowed by its form, and only at the port that gated hosts have.
 */
function policyOf(gate: GateAddress | undefined, authority: string): string {
  const gatedName = authority.split(':', 1)[0] ?? ''
  const isGated = gate !== undefined && AUTHORITY.test(authority) && gate.authorityOf(gatedName) === authority
  const gated = isGated ? ` ${gate.urlOf(gatedName)}` : ''
  return (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    `connect-src 'self'${gated}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  )
}

const serve = ({ type, body, immutable }: PageFile, policy: string): Reply => ({
  kind: 'reply',
  status: 200,
  headers: [
    ...['Content-Type', type],
    ...['Cache-Control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache'],
    ...['Content-Security-Policy', policy],
    ...['X-Content-Type-Options', 'nosniff'],
    ...['Referrer-Policy', 'no-referrer'],
  ],
  body,
  recorded: false,
})
