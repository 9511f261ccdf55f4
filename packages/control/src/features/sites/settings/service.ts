/** What a site has beyond the fields of the specification: firewall, record settings, API definition, health. */
import {
  type FirewallSettings,
  type ForwardingSettings,
  isUuid,
  type RecordSettings,
  type SiteHealth,
} from '@sallyport/contract'
import { changedFields } from '../../../audit/changed-fields.ts'
import type { ChangeTransaction, Database } from '../../../database/database.ts'
import type { SettingsColumns } from '../../../database/site-columns.ts'
import { bindDependencies } from '../../../http/bind-dependencies.ts'
import { type RequestContext, requireVersion } from '../../../http/context.ts'
import { invalid, notFound } from '../../../http/errors.ts'
import type { Versioned } from '../../../http/handlers.ts'
import { findSite, lockSite, type SiteRow, siteConfig } from '../store.ts'
import { rewriteServers } from './definition.ts'
import { gatedUrl } from './gated-url.ts'
import {
  deleteDefinition,
  findDefinition,
  findSettings,
  type SettingsRow,
  saveDefinition,
  saveSettings,
} from './store.ts'

export interface SiteSettingsDeps {
  readonly database: Database
  readonly gatewayPublicUrl: string
  readonly healthOf: (siteId: string) => SiteHealth
  /** Makes an OpenAPI document of the recorded traffic of a site. */
  readonly learnDefinition: (site: LearnedSite) => Promise<Record<string, unknown>>
}

interface LearnedSite {
  readonly orgId: string
  readonly id: string
  readonly originName: string
}

const ACTIONS: Readonly<Record<keyof SettingsColumns, string>> = {
  firewall: 'site.setFirewall',
  record_settings: 'site.setRecordSettings',
  forwarding_settings: 'site.setForwarding',
}

type Document = Record<string, unknown>

async function read(
  { database }: SiteSettingsDeps,
  { orgId }: RequestContext,
  id: string,
): Promise<SettingsRow> {
  if (!isUuid(id)) throw notFound()
  const row = await database.read(orgId, (tx) => findSettings(tx, orgId, id))
  if (!row) throw notFound()
  return row
}

/** Locks a site and does `work`, which returns the version that it leaves. */
function change(
  { database }: SiteSettingsDeps,
  context: RequestContext,
  id: string,
  work: (tx: ChangeTransaction, site: SiteRow) => Promise<number>,
): Promise<number> {
  if (!isUuid(id)) throw notFound()
  return database.change(context, async (tx) => {
    const site = await lockSite(tx, context.orgId, id)
    if (!site) throw notFound()
    requireVersion(context, site.version)
    return work(tx, site)
  })
}

/** Replaces one kind of settings. */
function replace<Column extends keyof SettingsColumns>(
  deps: SiteSettingsDeps,
  context: RequestContext,
  id: string,
  column: Column,
  settings: SettingsColumns[Column],
): Promise<number> {
  return change(deps, context, id, async (tx, site) => {
    const before = await findSettings(tx, context.orgId, id)
    const changed = changedFields<object>(before?.[column] ?? {}, settings)
    if (Object.keys(changed.after).length === 0) return site.version
    const version = await saveSettings(tx, context.orgId, id, column, settings)
    tx.record({
      action: ACTIONS[column],
      target: { kind: 'site', id },
      ...changed,
      config: [siteConfig(id)],
    })
    return version
  })
}

async function getFirewall(
  deps: SiteSettingsDeps,
  context: RequestContext,
  id: string,
): Promise<Versioned<FirewallSettings>> {
  const { firewall, version } = await read(deps, context, id)
  return { body: firewall, version }
}

async function setFirewall(
  deps: SiteSettingsDeps,
  context: RequestContext,
  id: string,
  settings: FirewallSettings,
): Promise<Versioned<FirewallSettings>> {
  requireUniqueIds(settings)
  return { body: settings, version: await replace(deps, context, id, 'firewall', settings) }
}

async function getRecordSettings(
  deps: SiteSettingsDeps,
  context: RequestContext,
  id: string,
): Promise<Versioned<RecordSettings>> {
  const { record_settings, version } = await read(deps, context, id)
  return { body: record_settings, version }
}

const setRecordSettings = async (
  deps: SiteSettingsDeps,
  context: RequestContext,
  id: string,
  settings: RecordSettings,
): Promise<Versioned<RecordSettings>> => ({
  body: settings,
  version: await replace(deps, context, id, 'record_settings', settings),
})

async function getForwarding(
  deps: SiteSettingsDeps,
  context: RequestContext,
  id: string,
): Promise<Versioned<ForwardingSettings>> {
  const { forwarding_settings, version } = await read(deps, context, id)
  return { body: forwarding_settings, version }
}

const setForwarding = async (
  deps: SiteSettingsDeps,
  context: RequestContext,
  id: string,
  settings: ForwardingSettings,
): Promise<Versioned<ForwardingSettings>> => ({
  body: settings,
  version: await replace(deps, context, id, 'forwarding_settings', settings),
})

async function getHealth(deps: SiteSettingsDeps, context: RequestContext, id: string): Promise<SiteHealth> {
  await read(deps, context, id)
  return deps.healthOf(id)
}

/** The uploaded document, or else one made of the recorded traffic; either points at the gated name. */
async function getDefinition(
  { database, gatewayPublicUrl, learnDefinition }: SiteSettingsDeps,
  { orgId }: RequestContext,
  id: string,
): Promise<Document> {
  if (!isUuid(id)) throw notFound()
  const [site, uploaded] = await database.read(orgId, (tx) =>
    Promise.all([findSite(tx, orgId, id), findDefinition(tx, orgId, id)]),
  )
  if (!site) throw notFound()
  const document: Document = uploaded
    ? JSON.parse(uploaded)
    : await learnDefinition({ orgId, id: site.id, originName: site.origin_name })
  return rewriteServers(document, gatedUrl(gatewayPublicUrl, site.gated_name))
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
    const { sizeBytes, version } = await saveDefinition(tx, context.orgId, id, document)
    const after = { info, sizeBytes }
    tx.record({ action: 'site.setDefinition', target: { kind: 'site', id }, before: null, after })
    return version
  })
}

async function removeDefinition(deps: SiteSettingsDeps, context: RequestContext, id: string): Promise<void> {
  await change(deps, context, id, async (tx, site) => {
    const version = await deleteDefinition(tx, context.orgId, id)
    if (version === undefined) return site.version
    const target = { kind: 'site', id }
    tx.record({ action: 'site.removeDefinition', target, before: null, after: null })
    return version
  })
}

/** The operations on a site's settings. */
export const createSiteSettingsService = (deps: SiteSettingsDeps) =>
  bindDependencies(deps, {
    getFirewall,
    setFirewall,
    getRecordSettings,
    setRecordSettings,
    getForwarding,
    setForwarding,
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
