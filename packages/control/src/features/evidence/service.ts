/** Evidence of the traffic of one site in one window. */
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { whyResearcherRefused } from '@sallyport/policy'
import type { Database } from '../../database/database.ts'
import { millisecondsOf } from '../../database/types.ts'
import { ProblemError } from '../../errors.ts'
import type { Window, WindowQuery } from '../../http/request/window.ts'
import { BadParameter, describeWindow, readWindow } from '../../http/request/window.ts'
import { requireRow } from '../../http/rows.ts'
import { deriveEvidenceKey, type EvidenceKey } from './evidence-key.ts'
import { type EvidenceResearcher, findSite, listResearchers, readAudit } from './store.ts'
import { RecordGrew, writePack } from './write-pack.ts'

const ATTEMPTS_MAX = 5
/** Most of what gateways deliver late comes within this. */
const RETRY_DELAY_MS = 1_000

/** What is recorded of a site in a window; each call reads anew. */
interface RecordedTraffic {
  totals(): Promise<{ readonly total: number; readonly outcomes: unknown }>
  byResearcher(): Promise<readonly unknown[]>
  rules(): Promise<readonly unknown[]>
  /** Throws once `ends` is aborted. */
  events(ends: AbortSignal): AsyncIterable<readonly unknown[]>
}

interface SiteWindow {
  readonly orgId: string
  readonly siteId: string
  readonly from: number
  readonly to: number
}

/** A project with its checks, as a pack has it. */
export interface EvidenceProject<Coverage> {
  readonly id: string
  readonly name: string
  /** What the pack says of it, by the coverage of one of its sites. */
  document(site: { readonly id: string; readonly gatedName: string }, coverage: Coverage): Promise<unknown>
}

interface EvidenceQuery extends WindowQuery {
  readonly project?: string | undefined
}

export interface EvidenceDependencies<Coverage> {
  readonly database: Pick<Database, 'read'>
  readonly trafficOf: (window: SiteWindow) => RecordedTraffic
  /** What of the site's operations was tried in the window, and what became of it. */
  readonly coverageOf: (window: SiteWindow) => Promise<Coverage>
  /** Throws a 404 for a project that the organization does not have. */
  readonly projectOf: (orgId: string, projectId: string) => Promise<EvidenceProject<Coverage>>
  /** From when on the record of an organization is kept, milliseconds since the epoch. */
  readonly keptFrom: (orgId: string) => number
  readonly secretKey: Uint8Array
  readonly now?: () => number
}

export interface EvidenceService {
  /** The pack as it is written; what it is made of is read until `ends`. Throws 404 for a site that the organization does not have. */
  create(orgId: string, siteId: string, query: EvidenceQuery, ends: AbortSignal): Promise<Readable>
  readonly key: EvidenceKey
}

export function createEvidenceService<Coverage>(
  dependencies: EvidenceDependencies<Coverage>,
): EvidenceService {
  const { database, trafficOf, coverageOf, projectOf, keptFrom, secretKey, now = Date.now } = dependencies
  const key = deriveEvidenceKey(secretKey)
  return {
    key,
    create: async (orgId, siteId, query, ends) => {
      const window = whileKept(untilNow(readWindow(query, now()), now()), keptFrom(orgId))
      const stored = await readSite(database, orgId, siteId, window, query.project)
      const project = query.project === undefined ? undefined : await named(projectOf(orgId, query.project))
      const recorded = { orgId, siteId: stored.site.id, ...window }
      const traffic = trafficOf(recorded)
      const coverage = () => coverageOf(recorded)
      return retryWhileGrowing(() =>
        writeSitePack({ orgId, window, stored, project, traffic, coverage, key, now: now(), ends }),
      )
    },
  }
}

/** What the query names and is not there is said of the query: the path of the request is right. */
const named = <Project>(project: Promise<Project>): Promise<Project> =>
  project.catch((error: unknown) => {
    if (error instanceof ProblemError && error.code === 'not_found')
      throw new BadParameter('project', 'is no project of the organization')
    throw error
  })

type SiteEvidence = Awaited<ReturnType<typeof readSite>>

const readSite = (
  database: Pick<Database, 'read'>,
  orgId: string,
  siteId: string,
  window: Pick<Window, 'to'>,
  projectId: string | undefined,
) =>
  database.read(orgId, async (tx) => {
    const site = await requireRow(findSite, tx, orgId, siteId)
    return {
      site,
      researchers: await listResearchers(tx, orgId, siteId),
      audit: await readAudit(tx, orgId, siteId, new Date(window.to - 1), projectId),
    }
  })

interface PackInput<Coverage> {
  readonly orgId: string
  readonly window: Pick<Window, 'from' | 'to'>
  readonly stored: SiteEvidence
  readonly project: EvidenceProject<Coverage> | undefined
  readonly traffic: RecordedTraffic
  readonly coverage: () => Promise<Coverage>
  readonly key: EvidenceKey
  readonly now: number
  readonly ends: AbortSignal
}

/** Throws `RecordGrew` where something was stored in the window meanwhile. */
async function writeSitePack<Coverage>(input: PackInput<Coverage>): Promise<Readable> {
  const { orgId, window, stored, project, traffic, coverage, key, now, ends } = input
  const { site, researchers, audit } = stored
  const { organization_name, ...siteDocument } = site
  const [counted, byResearcher, rules, coverageDocument] = await Promise.all([
    traffic.totals(),
    traffic.byResearcher(),
    traffic.rules(),
    coverage(),
  ])
  return writePack(
    {
      organization: { id: orgId, name: organization_name },
      site: { id: site.id, gatedName: site.gated_name, originName: site.origin_name },
      project: project && {
        id: project.id,
        name: project.name,
        document: await project.document({ id: site.id, gatedName: site.gated_name }, coverageDocument),
      },
      window: describeWindow(window),
      siteDocument,
      accessDocument: {
        admits: site.has_custom_list ? 'listed' : 'all',
        researchers: researchers.map((researcher) => accessOf(researcher, site.has_custom_list, now)),
        traffic: byResearcher,
      },
      firewallDocument: { requests: counted.total, outcomes: counted.outcomes, rules },
      coverageDocument,
      audit,
    },
    traffic.events(ends),
    async () => (await traffic.totals()).total === counted.total,
    key,
  )
}

/**
 * A window that has not ended, as far as it has come: what is still to come is not known, and with requests that
 * come meanwhile no pack would ever be finished.
 */
const untilNow = ({ from, to }: Pick<Window, 'from' | 'to'>, now: number): Pick<Window, 'from' | 'to'> => ({
  from,
  to: Math.max(from + 1, Math.min(to, now + 1)),
})

/** What is kept for no longer than this may be deleted by its age while a pack is made. */
const MAKING_MS = 3_600_000

/** A window as far as its record is kept: of what is older, some requests or some sums of them are gone, and a pack would not agree with itself. */
const whileKept = (
  { from, to }: Pick<Window, 'from' | 'to'>,
  keptFrom: number,
): Pick<Window, 'from' | 'to'> => ({ from: Math.min(Math.max(from, keptFrom + MAKING_MS), to - 1), to })

/**
 * What a gateway delivers late may be stored while a pack of a window that has just ended is made. Its counts would then
 * disagree with its traffic, so it is made anew.
 */
async function retryWhileGrowing(write: () => Promise<Readable>): Promise<Readable> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof RecordGrew)) throw error
      if (attempt === ATTEMPTS_MAX) throw new ProblemError('unavailable', { cause: error })
      await sleep(RETRY_DELAY_MS)
    }
}

const accessOf = ({ is_listed, ...researcher }: EvidenceResearcher, hasList: boolean, now: number) => ({
  ...researcher,
  admitted:
    whyResearcherRefused(
      { id: researcher.id, paused: researcher.paused, expiresAt: millisecondsOf(researcher.expires_at) },
      { config: { access: hasList ? 'listed' : 'all' }, lists: () => is_listed },
      now,
    ) === null,
})
