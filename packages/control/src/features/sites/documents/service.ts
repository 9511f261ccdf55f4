/** The API definitions of a site: listed, uploaded by name, handed out, removed. */
import {
  DOCUMENT_VERSIONS_MAX,
  MAIN_DOCUMENT,
  SITE_DOCUMENTS_BYTES_MAX,
  SITE_DOCUMENTS_MAX,
  type SiteDocument,
} from '@sallyport/contract'
import type { ChangeTransaction, Database } from '../../../database/database.ts'
import { invalid, notFound, ProblemError } from '../../../errors.ts'
import { bindDependencies } from '../../../http/bind-dependencies.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { QueryOf, UploadedDocument, Versioned } from '../../../http/handlers.ts'
import { lockForChange, readRowWith } from '../../../http/rows.ts'
import { keepDocuments, prepareDocuments } from '../definition-rule/keep-rule.ts'
import type { RuleCompiler } from '../definition-rule/rule-compiler.ts'
import type { NewRuleTable } from '../definition-rule/store.ts'
import { gatedUrl } from '../settings/gated-url.ts'
import { findSite, lockSite, type SiteRow, siteChange } from '../store.ts'
import type { DocumentWorker } from './document-worker.ts'
import * as store from './store.ts'

export interface SiteDocumentDeps {
  readonly database: Database
  readonly gatewayPublicUrl: string
  readonly documentWorker: Pick<DocumentWorker, 'work'>
  readonly ruleCompiler: Pick<RuleCompiler, 'compile'>
}

/** What all versions of all documents of a site may take as they are stored; the oldest go first. */
const STORED_BYTES_MAX = 2 * SITE_DOCUMENTS_BYTES_MAX

export const present = (row: store.VersionRow): SiteDocument => ({
  name: row.name,
  format: row.format,
  version: row.number,
  sizeBytes: row.size_bytes,
  operations: row.operations,
  time: row.created_at,
  by: row.created_by,
})

async function list({ database }: SiteDocumentDeps, { orgId }: RequestContext, id: string) {
  const [, rows] = await readRowWith(database, orgId, id, findSite, store.listDocuments)
  return { items: rows.map(present) }
}

async function get(
  { database, gatewayPublicUrl, documentWorker }: SiteDocumentDeps,
  { orgId }: RequestContext,
  id: string,
  { name, number }: QueryOf<'sitesGetDocument'>,
) {
  const [site, row] = await readRowWith(database, orgId, id, findSite, (tx) =>
    store.findDocument(tx, orgId, id, name, number),
  )
  if (!row) throw notFound()
  const text = await documentWorker.work(orgId, {
    kind: 'publish',
    document: store.storedDocument(row),
    confirmed: [],
    gatedOrigin: gatedUrl(gatewayPublicUrl, site.gated_name),
  })
  return { ...present(row), text }
}

/** Uploads a document; answers it as it is in force then. */
async function set(
  deps: SiteDocumentDeps,
  context: RequestContext,
  id: string,
  name: string,
  document: UploadedDocument,
): Promise<Versioned<SiteDocument>> {
  const { format, sizeBytes, operations, content, outline } = document
  if (format === null) throw invalid('/openapi', 'is required, or swagger for OpenAPI 2.0')
  if (format === 'graphql' && name === MAIN_DOCUMENT)
    throw invalid('query/name', 'must be another than main, which is an OpenAPI document')
  const { orgId } = context
  const text = { content: Buffer.from(content), packing: 'gzip' } as const
  const rule = await prepareDocuments(deps, orgId, id, { name, text: store.isOpenApi(format) ? text : null })
  return deps.database.change(context, async (tx) => {
    const site = await lockForChange(lockSite, tx, context, id)
    const version = { format, sizeBytes, operations, content, packing: 'gzip', restoredFrom: null } as const
    return putInForce(tx, context, site, { name, version, rule }, ({ written, isRuleChanged }) =>
      recordUpload(tx, id, { row: written, info: outline?.info, isRuleChanged }),
    )
  })
}

/** A version of a document, and the rule that the site's documents make with it. */
interface NextVersion {
  readonly name: string
  readonly version: Omit<store.NewVersion, 'createdBy'>
  readonly rule: NewRuleTable | undefined
}

/** What became of it. */
interface PutInForce {
  readonly written: store.VersionRow
  /** What was in force before, if anything. */
  readonly before: store.VersionRow | undefined
  readonly isRuleChanged: boolean
}

/** Makes a version the one in force and has it recorded, unless it is so already; answers the one in force. The site is locked. */
export async function putInForce(
  tx: ChangeTransaction,
  context: RequestContext,
  site: Pick<SiteRow, 'id' | 'version'>,
  { name, version, rule }: NextVersion,
  record: (done: PutInForce) => void,
): Promise<Versioned<SiteDocument>> {
  const { orgId, actor } = context
  const before = await requireRoom(tx, context, site.id, name, version.sizeBytes)
  const createdBy = actor.email || actor.id
  const written = await store.insertVersion(tx, orgId, site.id, name, { ...version, createdBy })
  if (!written) return { body: present(before ?? notWritten()), version: site.version }
  record({ written, before, isRuleChanged: await keepDocuments(tx, orgId, site.id, rule) })
  const bounds = { versionsMax: DOCUMENT_VERSIONS_MAX, bytesMax: STORED_BYTES_MAX }
  await store.deleteOldVersions(tx, orgId, site.id, bounds)
  return { body: present(written), version: await store.raiseSiteVersion(tx, orgId, site.id) }
}

const notWritten = (): never => {
  throw new Error('a document that is not there was in force already')
}

/** The document of this name that is in force. Throws a 409 where one of so many bytes has no room in its place. */
async function requireRoom(
  tx: ChangeTransaction,
  { orgId }: RequestContext,
  id: string,
  name: string,
  sizeBytes: number,
): Promise<store.VersionRow | undefined> {
  const documents = await store.listDocuments(tx, orgId, id)
  const others = documents.filter((document) => document.name !== name)
  if (others.length >= SITE_DOCUMENTS_MAX)
    throw new ProblemError('conflict', { detail: `The site has ${SITE_DOCUMENTS_MAX} documents already.` })
  const bytes = others.reduce((sum, document) => sum + document.size_bytes, sizeBytes)
  if (bytes > SITE_DOCUMENTS_BYTES_MAX)
    throw new ProblemError('conflict', {
      detail: `The documents of the site would have more than ${SITE_DOCUMENTS_BYTES_MAX / 1024 / 1024} MiB.`,
    })
  return documents.find((document) => document.name === name)
}

/** The one named `main` is recorded as it was when it was the only one. */
function recordUpload(tx: ChangeTransaction, id: string, { row, info, isRuleChanged }: RecordedUpload): void {
  const { name, number, format, size_bytes: sizeBytes, operations } = row
  const changed = changedSite(id, isRuleChanged)
  if (name === MAIN_DOCUMENT)
    tx.record({ action: 'site.setDefinition', ...changed, before: null, after: { info, sizeBytes, number } })
  else {
    const after = { name, number, format, sizeBytes, operations }
    tx.record({ action: 'site.setDocument', ...changed, before: null, after })
  }
}

interface RecordedUpload {
  readonly row: store.VersionRow
  readonly info: unknown
  readonly isRuleChanged: boolean
}

/** Gateways know of documents only what is a rule. */
export const changedSite = (id: string, isRuleChanged: boolean) =>
  isRuleChanged ? siteChange(id) : { target: { kind: 'site', id } }

async function remove(
  deps: SiteDocumentDeps,
  context: RequestContext,
  id: string,
  name: string,
): Promise<void> {
  const { orgId } = context
  const rule = await prepareDocuments(deps, orgId, id, { name, text: null })
  await deps.database.change(context, async (tx) => {
    await lockForChange<SiteRow>(lockSite, tx, context, id)
    if (!(await store.deleteDocument(tx, orgId, id, name))) return
    const isRuleChanged = await keepDocuments(tx, orgId, id, rule)
    const isMain = name === MAIN_DOCUMENT
    tx.record({
      action: isMain ? 'site.removeDefinition' : 'site.removeDocument',
      ...changedSite(id, isRuleChanged),
      before: isMain ? null : { name },
      after: null,
    })
    await store.raiseSiteVersion(tx, orgId, id)
  })
}

/** The operations on the API definitions of a site as they are now. */
export const createSiteDocumentService = (deps: SiteDocumentDeps) =>
  bindDependencies(deps, { list, get, set, remove })

export type SiteDocumentService = ReturnType<typeof createSiteDocumentService>
