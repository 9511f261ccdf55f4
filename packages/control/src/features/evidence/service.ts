/** Evidence of the traffic of one site in one window. */
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { isUuid } from '@sallyport/contract'
import { whyResearcherRefused } from '@sallyport/policy'
import type { TrafficStore } from '../../analytics/connection.ts'
import type { Scope } from '../../analytics/predicate.ts'
import { activity } from '../../analytics/queries/activity.ts'
import { readAll } from '../../analytics/queries/read-all.ts'
import { rulesSummary } from '../../analytics/queries/rules-summary.ts'
import { totals } from '../../analytics/queries/totals.ts'
import { describeWindow, readWindow, type Window, type WindowQuery } from '../../analytics/window.ts'
import type { Database } from '../../database/database.ts'
import { millisecondsOf } from '../../database/types.ts'
import { ApiError, notFound } from '../../errors.ts'
import { deriveEvidenceKey, type EvidenceKey } from './evidence-key.ts'
import { type EvidenceResearcher, findSite, listResearchers, readAudit } from './store.ts'
import { RecordGrew, writePack } from './write-pack.ts'

const ATTEMPTS_MAX = 5
/** Gateways deliver within this, mostly. */
const SETTLING_MS = 1_000

export interface EvidenceDependencies {
  readonly database: Pick<Database, 'read'>
  readonly store: TrafficStore
  readonly secretKey: Uint8Array
  readonly now?: () => number
}

export interface EvidenceService {
  /** The pack as it is written. Throws 404 for a site that the organization does not have. */
  create(orgId: string, siteId: string, query: WindowQuery): Promise<Readable>
  readonly key: EvidenceKey
}

export function createEvidenceService(dependencies: EvidenceDependencies): EvidenceService {
  const { database, store, secretKey, now = Date.now } = dependencies
  const key = deriveEvidenceKey(secretKey)
  return {
    key,
    create: async (orgId, siteId, query) => {
      const window = untilNow(readWindow(query, now()), now())
      const { site, researchers, audit } = await database.read(orgId, async (tx) => {
        const found = isUuid(siteId) ? await findSite(tx, orgId, siteId) : undefined
        if (!found) throw notFound()
        return {
          site: found,
          researchers: await listResearchers(tx, orgId, siteId),
          audit: await readAudit(tx, orgId, siteId, new Date(window.to - 1)),
        }
      })
      const scope: Scope = { orgId, from: window.from, to: window.to, filter: { site: [site.id] } }
      const { organization_name, ...siteDocument } = site
      const write = async (): Promise<Readable> => {
        const [counted, byResearcher, rules] = await Promise.all([
          totals(store, scope),
          activity(store, scope, 'hacker'),
          rulesSummary(store, scope),
        ])
        return writePack(
          {
            organization: { id: orgId, name: organization_name },
            site: { id: site.id, gatedName: site.gated_name, originName: site.origin_name },
            window: describeWindow(window),
            siteDocument,
            accessDocument: {
              admits: site.has_custom_list ? 'listed' : 'all',
              researchers: researchers.map((researcher) => accessOf(researcher, site.has_custom_list, now())),
              traffic: byResearcher,
            },
            firewallDocument: { requests: counted.total, outcomes: counted.outcomes, rules },
            audit,
          },
          readAll(store, scope),
          async () => (await totals(store, scope)).total === counted.total,
          key,
        )
      }
      return onceSettled(write)
    },
  }
}

/**
 * A window that has not ended, as far as it has come: what is still to come cannot be told of, and with requests that
 * come meanwhile no pack would ever be finished.
 */
const untilNow = ({ from, to }: Pick<Window, 'from' | 'to'>, now: number): Pick<Window, 'from' | 'to'> => ({
  from,
  to: Math.max(from + 1, Math.min(to, now + 1)),
})

/**
 * What a gateway delivers late may be stored while a pack of a window that has just ended is made. Its counts would then
 * disagree with its traffic, so it is made anew.
 */
async function onceSettled(write: () => Promise<Readable>): Promise<Readable> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof RecordGrew)) throw error
      if (attempt === ATTEMPTS_MAX) throw new ApiError('unavailable', { cause: error })
      await sleep(SETTLING_MS)
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
