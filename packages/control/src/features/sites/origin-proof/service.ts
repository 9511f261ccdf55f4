/**
 * Whether an organization may put an origin behind the gate: where several organizations share an installation, a public
 * origin is proved before a site with it opens. Sites that are open already stay open.
 */
import type { OriginProof } from '@sallyport/contract'
import { isOpenOrOpensLater } from '@sallyport/policy'
import type { Database, Transaction } from '../../../database/database.ts'
import { hasOtherOrganization } from '../../../database/rows.ts'
import type { SiteColumns } from '../../../database/site-columns.ts'
import { ProblemError, tooManyRequests } from '../../../errors.ts'
import { bindDependencies } from '../../../http/bind-dependencies.ts'
import type { RequestContext } from '../../../http/context.ts'
import { readRow } from '../../../http/rows.ts'
import type { OriginProofMode } from '../../../settings.ts'
import { openingTimesOf } from '../opening.ts'
import type { SiteOrigin } from '../origin.ts'
import { findSite } from '../store.ts'
import { fileUrlOf, type ProofTokens, recordNameOf } from './places.ts'
import type { OriginProbe } from './probe.ts'
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts'
import { deleteProofs, findProof, insertProof, type ProofRow } from './store.ts'

export interface OriginProofDeps {
  readonly database: Database
  /** `auto` asks once the installation serves a second organization. */
  readonly mode: OriginProofMode
  readonly tokensOf: ProofTokens
  readonly probe: OriginProbe
}

/** With how often each organization has looked for proofs. */
interface PacedDeps extends OriginProofDeps {
  readonly checks: SlidingWindow
}

/** An origin that was let in, and whether only by its proof. */
export interface Admission {
  readonly origin: SiteOrigin
  readonly byProof: boolean
}

const CHECKS_PER_MINUTE_MAX = 30
const MINUTE_MS = 60_000

const isAsked = async ({ database, mode }: PacedDeps, orgId: string): Promise<boolean> =>
  mode === 'auto' ? database.readInstallation((tx) => hasOtherOrganization(tx, orgId)) : mode === 'always'

const proofOf = ({ database }: PacedDeps, orgId: string, origin: SiteOrigin): Promise<ProofRow | undefined> =>
  database.read(orgId, (tx) => findProof(tx, orgId, origin))

type Standing = Omit<OriginProof, 'forbiddenRange'>

async function standing(deps: PacedDeps, orgId: string, origin: SiteOrigin): Promise<Standing> {
  const [isRequired, proof] = await Promise.all([isAsked(deps, orgId), proofOf(deps, orgId, origin)])
  const state = proof
    ? 'proved'
    : !isRequired
      ? 'notRequired'
      : (await deps.probe.isExempt(orgId, origin))
        ? 'exempt'
        : 'unproved'
  const [token] = deps.tokensOf(orgId, origin.host)
  return {
    required: isRequired && state !== 'exempt',
    state,
    method: proof?.method ?? null,
    provedAt: proof?.proved_at ?? null,
    dnsName: recordNameOf(origin),
    dnsValue: token,
    fileUrl: fileUrlOf(origin),
    fileContent: token,
  }
}

async function describe(deps: PacedDeps, orgId: string, origin: SiteOrigin): Promise<OriginProof> {
  const [stands, forbiddenRange] = await Promise.all([
    standing(deps, orgId, origin),
    deps.probe.forbiddenRange(orgId, origin),
  ])
  return { ...stands, forbiddenRange }
}

/** Looks for the proof and keeps what it finds. Throws 429 beyond the pace. */
async function prove(
  { database, tokensOf, probe, checks }: PacedDeps,
  context: RequestContext,
  siteId: string | null,
  origin: SiteOrigin,
): Promise<boolean> {
  const { orgId } = context
  const waitMs = checks.acquire(orgId)
  if (waitMs > 0) throw tooManyRequests(waitMs / 1000)
  const method = await probe.find(orgId, origin, tokensOf(orgId, origin.host))
  if (method === null) return false
  // The key of a repeated request belongs to the change that the request is about.
  await database.change({ ...context, idempotency: null }, async (tx) => {
    if (!(await insertProof(tx, orgId, origin, method))) return
    const { host, scheme, port } = origin
    const target = siteId === null ? { kind: 'organization', id: orgId } : { kind: 'site', id: siteId }
    const after = method === 'dns' ? { method, host } : { method, scheme, host, port }
    tx.record({ action: 'site.proveOrigin', target, before: null, after })
  })
  return true
}

const originOfSite = async ({ database }: PacedDeps, orgId: string, id: string): Promise<SiteOrigin> =>
  originOf(await readRow(database, orgId, id, findSite))

const get = async (deps: PacedDeps, { orgId }: RequestContext, id: string) =>
  describe(deps, orgId, await originOfSite(deps, orgId, id))

async function check(deps: PacedDeps, context: RequestContext, id: string): Promise<OriginProof> {
  const origin = await originOfSite(deps, context.orgId, id)
  const before = await describe(deps, context.orgId, origin)
  if (before.state !== 'unproved') return before
  if (!(await prove(deps, context, id, origin))) return before
  return { ...before, ...(await standing(deps, context.orgId, origin)) }
}

async function remove(deps: PacedDeps, context: RequestContext, id: string): Promise<void> {
  const { orgId } = context
  const origin = await originOfSite(deps, orgId, id)
  await deps.database.change(context, async (tx) => {
    const methods = await deleteProofs(tx, orgId, origin)
    if (methods.length === 0) return
    const target = { kind: 'site', id }
    const before = { host: origin.host, methods }
    tx.record({ action: 'site.forgetOriginProof', target, before, after: null })
  })
}

/**
 * Lets an origin in that a site is about to open with, before the transaction that opens it: names are resolved and a
 * proof is looked for, over the network. Throws 409 `origin_unproved`.
 */
async function admit(deps: PacedDeps, context: RequestContext, siteId: string | null, origin: SiteOrigin) {
  const { state, ...places } = await standing(deps, context.orgId, origin)
  if (state === 'notRequired' || state === 'exempt') return { origin, byProof: false }
  if (state === 'unproved' && !(await prove(deps, context, siteId, origin))) throw unproved(places)
  return { origin, byProof: true }
}

/** Inside that transaction: nothing else than what was let in opens, and a proof is still there. */
async function confirm(
  _deps: PacedDeps,
  tx: Transaction,
  orgId: string,
  admission: Admission | null,
  origin: SiteOrigin,
): Promise<void> {
  if (admission === null || !isSame(admission.origin, origin))
    throw new ProblemError('conflict', { detail: 'The site was changed meanwhile; try again.' })
  if (admission.byProof && !(await findProof(tx, orgId, origin))) throw new ProblemError('origin_unproved')
}

/** The operations on the proof of a site's origin, and the two steps of a change that opens one. */
export const createOriginProofService = (deps: OriginProofDeps) => {
  const checks = createSlidingWindow({ timesMax: CHECKS_PER_MINUTE_MAX, windowMs: MINUTE_MS })
  return bindDependencies({ ...deps, checks }, { get, check, remove, admit, confirm })
}

export type OriginProofService = ReturnType<typeof createOriginProofService>

const unproved = ({ dnsName, dnsValue, fileUrl }: Omit<Standing, 'state'>): ProblemError => {
  const places = [
    ...(dnsName === null ? [] : [`as a TXT record at ${dnsName}`]),
    ...(fileUrl === null ? [] : [`in the file ${fileUrl}`]),
  ]
  return new ProblemError('origin_unproved', {
    detail: `This origin is not proved to belong to your organization. Publish "${dnsValue}" ${places.join(', or ')}, then try again.`,
  })
}

/** What the columns of a site mean. */
export const originOf = (
  site: Pick<SiteColumns, 'origin_scheme' | 'origin_host' | 'origin_port'>,
): SiteOrigin => ({ scheme: site.origin_scheme, host: site.origin_host, port: site.origin_port })

const isSame = (one: SiteOrigin, other: SiteOrigin): boolean =>
  one.scheme === other.scheme && one.host === other.host && one.port === other.port

type Opening = Pick<
  SiteColumns,
  'is_enabled' | 'starts_at' | 'stops_at' | 'origin_scheme' | 'origin_host' | 'origin_port'
>

/**
 * Whether a change opens a site with an origin that it was not open with before. Being enabled counts, also where the site
 * opens by the clock later: nobody is asked then. One that had ended by the clock opens again when its end is moved.
 */
export function opensOrigin(before: Opening | null, after: Opening, now: number): boolean {
  if (!isOpenOrOpensLater(openingTimesOf(after), now)) return false
  if (before === null || !isOpenOrOpensLater(openingTimesOf(before), now)) return true
  return !isSame(originOf(before), originOf(after))
}
