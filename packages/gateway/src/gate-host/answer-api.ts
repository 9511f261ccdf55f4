/**
 * The API of the gate's own host, for a researcher who was recognized: `gate-host.ts` of the contract lists its calls. The
 * last stage of that host, so it answers everything.
 */
import {
  GATE_API_PATH,
  GATED_ENTER_PATH,
  type GateCode,
  type ResearcherConfig,
  type ResearcherPageCredentials,
  type ResearcherPageRequest,
  type ResearcherPageRequests,
} from '@sallyport/contract/words'
import { isAdmitted, listAdmits, whyResearcherRefused } from '@sallyport/policy'
import { CLOSURE_RETRY_AFTER_S, type Closures } from '../closures/closures.ts'
import {
  isStillValid,
  noteResearcher,
  type Recognized,
  type Recognizer,
  triesCredential,
} from '../credentials/recognize.ts'
import { GATE_SESSION } from '../credentials/session.ts'
import { sealCode } from '../credentials/sign-in-code.ts'
import { isReturnPath } from '../credentials/sign-in-path.ts'
import type { Answer, Exchange, Refusal, Reply, Stage, Verdict } from '../exchange/exchange.ts'
import { refuse } from '../exchange/exchange.ts'
import { LEASE_RETRY_AFTER_S, type Lease } from '../lease/lease.ts'
import { redact } from '../record/redact.ts'
import { accessTo, isOpen } from '../snapshot/access.ts'
import { sealKeyOf } from '../snapshot/seal-keys.ts'
import type { CompiledSite, SnapshotSource } from '../snapshot/snapshot.ts'
import { describeMe } from './answer-session.ts'
import type { AdmitCall, CallThrottles } from './call-throttle.ts'
import { type BudgetSources, describeBudget, describeScope } from './describe-site.ts'
import { json, jsonText, nothingHere, withFields } from './json-call.ts'
import { listSites } from './list-sites.ts'
import type { RecentSource } from './recent-requests.ts'

export interface GateApiParts extends BudgetSources {
  readonly snapshots: SnapshotSource
  readonly lease: Lease
  readonly closures: Closures
  readonly recent: Pick<RecentSource, 'list'>
  readonly throttles: CallThrottles
  /** Asks the control plane; null where the site has none or the control plane cannot say. */
  readonly revealCredentials: (exchange: Exchange) => Promise<string | null>
}

const SITE_CALL = /^sites\/([\w-]{1,64})\/(scope|budget|requests|credentials)$/
const HOST = /^[a-z0-9][a-z0-9.-]{0,252}(?::\d{1,5})?$/
const NONCE_HASH = /^[\w-]{43}$/
const PATH = /^\/[!-~]{0,2047}$/
const PATH_IN_WORDS =
  'a path and query of up to 2,048 characters that begins with one slash, outside of `/.sallyport/`'

/** Makes the stage. */
export function createApiStage(parts: GateApiParts, recognize: Recognizer): Stage {
  return (exchange) => {
    const found = recognize(exchange)
    if (!found)
      return refuse(
        401,
        'gate',
        triesCredential(exchange, [GATE_SESSION]) ? 'unknown_credential' : 'no_credential',
      )
    noteResearcher(exchange, found)
    if (parts.closures.isClosed(exchange.event)) return closedHere()
    if (parts.lease.isOver(exchange.snapshot, found.researcher.orgId))
      return refuse(503, 'gate', 'lease_ended', { retryAfterS: LEASE_RETRY_AFTER_S })
    return answer(exchange, found, parts)
  }
}

function answer(exchange: Exchange, found: Recognized, parts: GateApiParts): Verdict | Promise<Verdict> {
  const { request, snapshot, event } = exchange
  const { researcher } = found
  const { throttles } = parts
  const name = request.target.slice(GATE_API_PATH.length)
  if (name === 'codes')
    return request.method === 'POST' ? issueCode(exchange, found, throttles.codes) : nothingHere(405)
  const [, siteId = '', call = ''] = SITE_CALL.exec(name) ?? []
  if (request.method !== (call === 'credentials' ? 'POST' : 'GET')) return nothingHere(405)
  if (name === 'me')
    return json(describeMe(exchange, researcher, found.credential === 'key' ? 'key' : 'session'))
  if (name === 'sites') return list(exchange, researcher, throttles.lists)
  const site = snapshot.site(siteId)
  if (!site || !isVisible(site, researcher)) return nothingHere()
  const reason = whyResearcherRefused(researcher, site, event.time)
  if (reason) return refuse(403, 'gate', reason)
  switch (call) {
    case 'scope':
      return json(describeScope(site))
    case 'budget':
      return describeBudget(exchange, site, researcher, parts).then((budget) => json(budget))
    case 'requests': {
      const items = parts.recent.list(researcher.id, siteId)
      const answered = (list: ResearcherPageRequest[]): Reply =>
        json({ items: list } satisfies ResearcherPageRequests)
      return items instanceof Promise ? items.then(answered) : answered(items)
    }
    default:
      return reveal(exchange, site, found, parts, throttles.reveals)
  }
}

async function list(
  { snapshot, event }: Exchange,
  researcher: ResearcherConfig,
  admit: AdmitCall,
): Promise<Verdict> {
  if (!(await admit(researcher.id, performance.now()))) return tooOften()
  return jsonText(await listSites(snapshot, researcher, event.time))
}

/** Whether a site may be known to a researcher at all. */
const isVisible = (site: CompiledSite, { id, orgId }: ResearcherConfig): boolean =>
  site.config.orgId === orgId && listAdmits(site, id)

/** The credentials of a site: what is read to a researcher by the control plane, and recorded. */
function reveal(
  exchange: Exchange,
  site: CompiledSite,
  found: Recognized,
  parts: GateApiParts,
  admit: AdmitCall,
): Verdict {
  const { event, snapshot } = exchange
  event.siteId = site.config.id
  redact(event, site, snapshot)
  if (parts.closures.isClosed(event)) return closedHere()
  if (!isOpen(site, snapshot, event.time)) return refuse(503, 'gate', 'site_closed')
  return withFields(exchange, [], async (): Promise<Answer> => {
    if (!(await admit(found.researcher.id, performance.now()))) return tooOften()
    const credentials = await parts.revealCredentials(exchange)
    if (credentials === null) return nothingHere()
    if (!isStillAllowed(parts.snapshots, found, site)) return refuse(403, 'gate', 'access_ended')
    if (parts.closures.isClosed(event)) return closedHere()
    return json({ credentials } satisfies ResearcherPageCredentials, { recorded: true })
  })
}

/** Whether access has ended while the control plane was asked. */
function isStillAllowed({ current }: SnapshotSource, found: Recognized, { config }: CompiledSite): boolean {
  const researcher = current.researcher(found.researcher.id)
  const site = current.site(config.id)
  if (!researcher || !site || !isAdmitted(accessTo(site, researcher, current, Date.now()))) return false
  return isStillValid(found, researcher)
}

/** A code for a browser that asked for it at a gated host. */
function issueCode(exchange: Exchange, { researcher, keyId }: Recognized, admit: AdmitCall): Verdict {
  const { snapshot, event } = exchange
  const { gate } = snapshot
  const key = sealKeyOf(snapshot, researcher.orgId)
  if (!gate || key === '') return nothingHere()
  return withFields(exchange, ['host', 'nonce', 'to', 'replace'], async (fields): Promise<Answer> => {
    const host = fields.text('host', HOST, 'a gated host, with its port where it has one')
    const nonceHash = fields.text('nonce', NONCE_HASH, 'a SHA-256 in base64url')
    const to = fields.text('to', PATH, PATH_IN_WORDS)
    const replace = fields.flag('replace')
    if (!isReturnPath(to))
      return refuse(400, 'gate', 'invalid_field', { detail: `\`to\` must be ${PATH_IN_WORDS}.` })
    const site = snapshot.siteByHost(host.split(':', 1)[0] ?? '')
    // At another port of that name another program may listen.
    if (!site || !isVisible(site, researcher) || gate.authorityOf(site.config.gatedName) !== host)
      return nothingHere()
    event.siteId = site.config.id
    redact(event, site, snapshot)
    const reason = whyResearcherRefused(researcher, site, event.time)
    if (reason) return refuse(403, 'gate', reason)
    if (!(await admit(researcher.id, performance.now()))) return tooOften()
    const { id: researcherId, sessionGeneration: generation } = researcher
    const sealed = { researcherId, generation, keyId, nonceHash, replace, to }
    const code = sealCode(site.config.gatedName, key, sealed)
    const location = `${gate.urlOf(site.config.gatedName)}${GATED_ENTER_PATH}?code=${code}`
    return json({ location } satisfies GateCode, { recorded: true })
  })
}

const closedHere = (): Refusal =>
  refuse(503, 'gate', 'gateway_closed', { retryAfterS: CLOSURE_RETRY_AFTER_S })

const tooOften = (): Refusal => refuse(429, 'limit', 'too_many_attempts', { retryAfterS: 1 })
