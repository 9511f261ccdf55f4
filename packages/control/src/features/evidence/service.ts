/** Evidence of the traffic of one site in one window. */
import type { Readable } from 'node:stream'
import { isUuid } from '@sallyport/contract'
import type { TrafficStore } from '../../analytics/connection.ts'
import type { Scope } from '../../analytics/predicate.ts'
import { activity } from '../../analytics/queries/activity.ts'
import { readAll } from '../../analytics/queries/read-all.ts'
import { rulesSummary } from '../../analytics/queries/rules-summary.ts'
import { totals } from '../../analytics/queries/totals.ts'
import { describeWindow, readWindow, type WindowQuery } from '../../analytics/window.ts'
import type { Database } from '../../database/database.ts'
import { notFound } from '../../errors.ts'
import { deriveEvidenceKey, type EvidenceKey } from './evidence-key.ts'
import { type EvidenceResearcher, findSite, listResearchers, readAudit } from './store.ts'
import { writePack } from './write-pack.ts'

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
      const window = readWindow(query, now())
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
      const [{ total, outcomes }, byResearcher, rules] = await Promise.all([
        totals(store, scope),
        activity(store, scope, 'hacker'),
        rulesSummary(store, scope),
      ])
      const { organization_name, ...siteDocument } = site
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
          firewallDocument: { requests: total, outcomes, rules },
          audit,
        },
        readAll(store, scope),
        key,
      )
    },
  }
}

const accessOf = ({ is_listed, ...researcher }: EvidenceResearcher, hasList: boolean, now: number) => ({
  ...researcher,
  admitted:
    !researcher.paused &&
    (!hasList || is_listed) &&
    (researcher.expires_at === null || Date.parse(researcher.expires_at) > now),
})
