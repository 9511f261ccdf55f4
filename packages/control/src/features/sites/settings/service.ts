/** What a site has beyond the fields of the specification: firewall, record settings, API definition, health. */
import type { AuditAction, FirewallSettings, SiteHealth } from '@sallyport/contract'
import { changedFields } from '../../../audit/changed-fields.ts'
import type { ChangeTransaction, Database } from '../../../database/database.ts'
import { readSettings, type SettingsColumns } from '../../../database/site-columns.ts'
import { invalid } from '../../../errors.ts'
import { bindDependencies } from '../../../http/bind-dependencies.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { QueryOf, Versioned } from '../../../http/handlers.ts'
import { pageOfRows, readPage } from '../../../http/request/paging.ts'
import { lockForChange, readRow, readRowWith } from '../../../http/rows.ts'
import type { ApiLearner } from '../definition/api-learner.ts'
import { publishedDocument, rewriteServers } from '../definition/gated-document.ts'
import { learnedDocument } from '../definition/learned-document.ts'
import { findSite, lockSite, type SiteRow, siteChange } from '../store.ts'
import { gatedUrl } from './gated-url.ts'
import * as store from './store.ts'

export interface SiteSettingsDeps {
  readonly database: Database
  readonly gatewayPublicUrl: string
  readonly healthOf: (siteId: string) => SiteHealth
  readonly apiLearner: Pick<ApiLearner, 'learn'>
}

type Document = Record<string, unknown>

const EXCLUSIONS_PAGE_SITES = 50

const read = (
  { database }: SiteSettingsDeps,
  { orgId }: RequestContext,
  id: string,
): Promise<store.SettingsRow> => readRow(database, orgId, id, store.findSettings)

/** Locks a site and does `work`, which returns the version that it leaves. */
const change = (
  { database }: SiteSettingsDeps,
  context: RequestContext,
  id: string,
  work: (tx: ChangeTransaction, site: SiteRow) => Promise<number>,
): Promise<number> =>
  database.change(context, async (tx) => work(tx, await lockForChange(lockSite, tx, context, id)))

/** The two operations on one kind of settings; `check` throws where settings cannot be. */
const settingsIn = <Column extends keyof SettingsColumns, Settings extends SettingsColumns[Column]>(
  column: Column,
  action: AuditAction,
  check: (settings: Settings) => void = () => {},
) => ({
  get: async (
    deps: SiteSettingsDeps,
    context: RequestContext,
    id: string,
  ): Promise<Versioned<SettingsColumns[Column]>> => {
    const row = await read(deps, context, id)
    return { body: readSettings(row, column), version: row.version }
  },
  set: async (
    deps: SiteSettingsDeps,
    context: RequestContext,
    id: string,
    settings: Settings,
  ): Promise<Versioned<Settings>> => {
    check(settings)
    const version = await change(deps, context, id, async (tx, site) => {
      const before = await store.findSettings(tx, context.orgId, id)
      const changed = changedFields<object>(before ? readSettings(before, column) : {}, settings)
      if (Object.keys(changed.after).length === 0) return site.version
      tx.record({ action, ...siteChange(id), ...changed })
      return store.saveSettings(tx, context.orgId, id, column, settings)
    })
    return { body: settings, version }
  },
})

async function listExclusions(
  { database }: SiteSettingsDeps,
  { orgId }: RequestContext,
  query: QueryOf<'sitesListExclusions'>,
) {
  const page = readPage(query, EXCLUSIONS_PAGE_SITES)
  const rows = await database.read(orgId, (tx) => store.listExclusions(tx, orgId, page))
  return pageOfRows(
    rows,
    page.limit,
    (row) => row.id,
    (row) => ({
      siteId: row.id,
      gatedName: row.gated_name,
      exclusions: readSettings(row, 'firewall').exclusions,
    }),
  )
}

async function getHealth(deps: SiteSettingsDeps, context: RequestContext, id: string): Promise<SiteHealth> {
  await read(deps, context, id)
  return deps.healthOf(id)
}

/** The uploaded document as it may be handed out, or else one made of the recorded traffic; either points at the gated name. */
async function getDefinition(
  { database, gatewayPublicUrl, apiLearner }: SiteSettingsDeps,
  { orgId }: RequestContext,
  id: string,
): Promise<Document> {
  const [site, uploaded] = await readRowWith(database, orgId, id, findSite, store.findDefinition)
  const gatedOrigin = gatedUrl(gatewayPublicUrl, site.gated_name)
  if (uploaded) return publishedDocument(JSON.parse(uploaded), gatedOrigin)
  const operations = await apiLearner.learn({ orgId, id: site.id })
  return rewriteServers(learnedDocument(site.origin_name, operations), gatedOrigin)
}

/** `document` is JSON text, and `info` what it says of itself. */
async function setDefinition(
  deps: SiteSettingsDeps,
  context: RequestContext,
  id: string,
  info: Document,
  document: string,
): Promise<void> {
  await change(deps, context, id, async (tx) => {
    const { sizeBytes, version } = await store.saveDefinition(tx, context.orgId, id, document)
    const after = { info, sizeBytes }
    tx.record({ action: 'site.setDefinition', target: { kind: 'site', id }, before: null, after })
    return version
  })
}

async function removeDefinition(deps: SiteSettingsDeps, context: RequestContext, id: string): Promise<void> {
  await change(deps, context, id, async (tx, site) => {
    const version = await store.deleteDefinition(tx, context.orgId, id)
    if (version === undefined) return site.version
    const target = { kind: 'site', id }
    tx.record({ action: 'site.removeDefinition', target, before: null, after: null })
    return version
  })
}

const firewall = settingsIn('firewall', 'site.setFirewall', requireUniqueIds)
const record = settingsIn('record_settings', 'site.setRecordSettings')
const forwarding = settingsIn('forwarding_settings', 'site.setForwarding')

/** The operations on a site's settings. */
export const createSiteSettingsService = (deps: SiteSettingsDeps) =>
  bindDependencies(deps, {
    getFirewall: firewall.get,
    setFirewall: firewall.set,
    listExclusions,
    getRecordSettings: record.get,
    setRecordSettings: record.set,
    getForwarding: forwarding.get,
    setForwarding: forwarding.set,
    getHealth,
    getDefinition,
    setDefinition,
    removeDefinition,
  })

export type SiteSettingsService = ReturnType<typeof createSiteSettingsService>

function requireUniqueIds({ overrides, exclusions }: FirewallSettings): void {
  for (const [name, list] of Object.entries({ overrides, exclusions })) {
    const firstOf = new Map(list.map(({ id }, index) => [id, index] as const).toReversed())
    const repeated = list.findIndex(({ id }, index) => firstOf.get(id) !== index)
    if (repeated >= 0) throw invalid(`/${name}/${repeated}/id`, 'is the id of another one')
  }
}
