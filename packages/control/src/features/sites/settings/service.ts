/** What a site has beyond the fields of the specification: firewall, record settings, API definition, health. */
import {
  type AuditAction,
  type FirewallSettings,
  MAIN_DOCUMENT,
  type SiteHealth,
  type SiteStatus,
} from '@sallyport/contract'
import { changedFields, isUnchanged } from '../../../audit/changed-fields.ts'
import type { ChangeTransaction } from '../../../database/database.ts'
import { readSettings, type SettingsColumns } from '../../../database/site-columns.ts'
import { invalid } from '../../../errors.ts'
import { bindDependencies } from '../../../http/bind-dependencies.ts'
import type { RequestContext } from '../../../http/context.ts'
import { JsonText, type QueryOf, type Versioned } from '../../../http/handlers.ts'
import { pageOfRows, readPage } from '../../../http/request/paging.ts'
import { lockForChange, readRow, readRowWith } from '../../../http/rows.ts'
import type { ApiLearner } from '../definition/api-learner.ts'
import { rewriteServers } from '../definition/gated-document.ts'
import { learnedDocument } from '../definition/learned-document.ts'
import { keepRule, prepareRule } from '../definition-rule/keep-rule.ts'
import type { RuleCompiler } from '../definition-rule/rule-compiler.ts'
import { type RuleStateDeps, ruleStateOf } from '../definition-rule/rule-state.ts'
import type { DocumentWorker } from '../documents/document-worker.ts'
import { findDocument, storedDocument } from '../documents/store.ts'
import { siteOperations } from '../operations/site-api.ts'
import { readConfirmed } from '../operations/store.ts'
import { findSite, lockSite, siteChange } from '../store.ts'
import { gatedUrl } from './gated-url.ts'
import * as store from './store.ts'

export interface SiteSettingsDeps extends RuleStateDeps {
  readonly gatewayPublicUrl: string
  readonly healthOf: (siteId: string, orgId: string) => SiteHealth
  readonly apiLearner: Pick<ApiLearner, 'learn'>
  readonly documentWorker: Pick<DocumentWorker, 'work'>
  readonly ruleCompiler: Pick<RuleCompiler, 'compile'>
}

type Document = Record<string, unknown>

const EXCLUSIONS_PAGE_SITES = 50
const STATUS_PAGE_SITES = 50

const read = (
  { database }: SiteSettingsDeps,
  { orgId }: RequestContext,
  id: string,
): Promise<store.SettingsRow> => readRow(database, orgId, id, store.findSettings)

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
    within: (tx: ChangeTransaction) => Promise<void> = async () => {},
  ): Promise<Versioned<Settings>> => {
    check(settings)
    const version = await deps.database.change(context, async (tx) => {
      const site = await lockForChange(lockSite, tx, context, id)
      const before = await store.findSettings(tx, context.orgId, id)
      const changed = changedFields<object>(before ? readSettings(before, column) : {}, settings)
      if (isUnchanged(changed)) return site.version
      tx.record({ action, ...siteChange(id), ...changed })
      await within(tx)
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

async function listStatus(
  { database, healthOf }: SiteSettingsDeps,
  { orgId }: RequestContext,
  query: QueryOf<'sitesListStatus'>,
) {
  const page = readPage(query, STATUS_PAGE_SITES)
  const rows = await database.read(orgId, (tx) => store.listFirewalls(tx, orgId, page))
  return pageOfRows(
    rows,
    page.limit,
    (row) => row.id,
    (row): SiteStatus => {
      const { state, gateways } = healthOf(row.id, orgId)
      const reasons = [...new Set(gateways.map(({ reason }) => reason).filter(Boolean))]
      return { siteId: row.id, firewall: readSettings(row, 'firewall').mode, health: state, reasons }
    },
  )
}

async function getHealth(deps: SiteSettingsDeps, context: RequestContext, id: string): Promise<SiteHealth> {
  await read(deps, context, id)
  return deps.healthOf(id, context.orgId)
}

/**
 * The document named `main` as it may be handed out, with what was confirmed, or else one made of the recorded traffic; either points at
 * the gated name.
 */
async function getDefinition(
  { database, gatewayPublicUrl, apiLearner, documentWorker }: SiteSettingsDeps,
  { orgId }: RequestContext,
  id: string,
): Promise<Document | JsonText> {
  const [site, [main, confirmed]] = await readRowWith(database, orgId, id, findSite, (tx) =>
    Promise.all([findDocument(tx, orgId, id, MAIN_DOCUMENT), readConfirmed(tx, orgId, id)]),
  )
  const gatedOrigin = gatedUrl(gatewayPublicUrl, site.gated_name)
  if (main) {
    const task = { kind: 'publish', document: storedDocument(main), confirmed, gatedOrigin } as const
    return new JsonText(await documentWorker.work(orgId, task))
  }
  const { known, seen } = await apiLearner.learn({ orgId, id: site.id })
  return rewriteServers(learnedDocument(site.origin_name, siteOperations(known, seen)), gatedOrigin)
}

const firewall = settingsIn('firewall', 'site.setFirewall', requireUniqueIds)
async function setFirewall(
  deps: SiteSettingsDeps,
  context: RequestContext,
  id: string,
  settings: FirewallSettings,
): Promise<Versioned<FirewallSettings>> {
  const prepared = await prepareRule(deps, context.orgId, id, settings)
  return firewall.set(deps, context, id, settings, (tx) =>
    keepRule(tx, context.orgId, id, settings, prepared),
  )
}
const record = settingsIn('record_settings', 'site.setRecordSettings')
const forwarding = settingsIn('forwarding_settings', 'site.setForwarding')

/** The operations on a site's settings. */
export const createSiteSettingsService = (deps: SiteSettingsDeps) =>
  bindDependencies(deps, {
    getFirewall: firewall.get,
    setFirewall,
    listExclusions,
    listStatus,
    getRecordSettings: record.get,
    setRecordSettings: record.set,
    getForwarding: forwarding.get,
    setForwarding: forwarding.set,
    getHealth,
    getDefinitionRule: ruleStateOf,
    getDefinition,
  })

export type SiteSettingsService = ReturnType<typeof createSiteSettingsService>

function requireUniqueIds({ overrides, exclusions }: FirewallSettings): void {
  for (const [name, list] of Object.entries({ overrides, exclusions })) {
    const firstOf = new Map(list.map(({ id }, index) => [id, index] as const).toReversed())
    const repeated = list.findIndex(({ id }, index) => firstOf.get(id) !== index)
    if (repeated >= 0) throw invalid(`/${name}/${repeated}/id`, 'is the id of another one')
  }
}
