/**
 * Keeps the table of a site's rule as its documents and its settings are. A table is compiled before the change that needs it, because
 * that takes a while; the change then finds out whether it is still of the documents that are in force.
 */
import { createHash } from 'node:crypto'
import { type FirewallSettings, MAIN_DOCUMENT } from '@sallyport/contract'
import type { ChangeTransaction, Database } from '../../../database/database.ts'
import { readSettings } from '../../../database/site-columns.ts'
import { invalid, ProblemError } from '../../../errors.ts'
import { readRow } from '../../../http/rows.ts'
import { findOpenApiDocuments, type NamedText, type StoredText } from '../documents/store.ts'
import { findSettings } from '../settings/store.ts'
import { NoRuleError, type RuleCompiler } from './rule-compiler.ts'
import * as store from './store.ts'

export interface KeepRuleDeps {
  readonly database: Database
  readonly ruleCompiler: Pick<RuleCompiler, 'compile'>
}

/** Of all sites of an organization: gateways hold every table. */
const ORGANIZATION_BYTES_MAX = 16 * 1024 * 1024
const MODE = '/definition/mode'

/** Whether a site's definition is in force as a rule. */
export const isRuleOn = ({ definition }: Pick<FirewallSettings, 'definition'>): boolean =>
  definition !== undefined && definition.mode !== 'off'

/** What a change of settings to these needs; undefined where that is no table, or the one that is there. */
export async function prepareRule(
  { database, ruleCompiler }: KeepRuleDeps,
  orgId: string,
  siteId: string,
  settings: FirewallSettings,
): Promise<store.NewRuleTable | undefined> {
  if (!isRuleOn(settings)) return undefined
  await readRow(database, orgId, siteId, findSettings)
  const [known, documents] = await database.read(orgId, (tx) =>
    Promise.all([store.findRuleTable(tx, orgId, siteId), findOpenApiDocuments(tx, orgId, siteId)]),
  )
  if (documents.length === 0) throw invalid(MODE, 'needs an API definition that was uploaded')
  if (known?.source === sourceOf(documents)) return undefined
  return compiled(ruleCompiler, orgId, documents, MODE)
}

/** Part of the change to these settings. */
export async function keepRule(
  tx: ChangeTransaction,
  orgId: string,
  siteId: string,
  settings: FirewallSettings,
  prepared: store.NewRuleTable | undefined,
): Promise<void> {
  if (!isRuleOn(settings)) {
    await store.deleteRuleTable(tx, orgId, siteId)
    return
  }
  if (prepared) await save(tx, orgId, siteId, prepared)
  const [source, table] = [
    await store.findRuleSource(tx, orgId, siteId),
    await store.findRuleTable(tx, orgId, siteId),
  ]
  if (source === '' || source !== table?.source) throw changedMeanwhile()
}

/** A document that is to be in force, or, without a text, one that is not to be any more. */
export interface ChangedDocument {
  readonly name: string
  /** Null also of one that is no part of a rule. */
  readonly text: StoredText | null
}

/** What a site needs once the document is changed: its table, where the rule is on. Throws a 409 where nothing would be left of the rule. */
export async function prepareDocuments(
  { database, ruleCompiler }: KeepRuleDeps,
  orgId: string,
  siteId: string,
  { name, text }: ChangedDocument,
): Promise<store.NewRuleTable | undefined> {
  const row = await readRow(database, orgId, siteId, findSettings)
  if (!isRuleOn(readSettings(row, 'firewall'))) return undefined
  const before = await database.read(orgId, (tx) => findOpenApiDocuments(tx, orgId, siteId))
  const others = before.filter((document) => document.name !== name)
  const documents = (
    text ? [...others, { name, content: text.content, packing: text.packing }] : others
  ).toSorted(mainFirst)
  if (documents.length === 0)
    throw new ProblemError('conflict', {
      detail: 'The API definition is in force as a rule of the firewall. Switch that off first.',
    })
  return compiled(ruleCompiler, orgId, documents, '')
}

/** The table of the documents as they are, for a rule that is on without it; undefined where there is nothing to compile. */
export async function prepareAgain(
  { database, ruleCompiler }: KeepRuleDeps,
  orgId: string,
  siteId: string,
): Promise<store.NewRuleTable | undefined> {
  const documents = await database.read(orgId, (tx) => findOpenApiDocuments(tx, orgId, siteId))
  return documents.length === 0 ? undefined : compiled(ruleCompiler, orgId, documents, MODE)
}

/** Part of the change of documents, after it; returns whether the rule is another now. */
export async function keepDocuments(
  tx: ChangeTransaction,
  orgId: string,
  siteId: string,
  prepared: store.NewRuleTable | undefined,
): Promise<boolean> {
  const row = await findSettings(tx, orgId, siteId)
  if (!(row && isRuleOn(readSettings(row, 'firewall')))) return false
  if (prepared?.source !== (await store.findRuleSource(tx, orgId, siteId))) throw changedMeanwhile()
  await save(tx, orgId, siteId, prepared)
  return true
}

/** As documents in force are listed. Names are ASCII. */
const mainFirst = (one: NamedText, other: NamedText): number =>
  Number(one.name !== MAIN_DOCUMENT) - Number(other.name !== MAIN_DOCUMENT) ||
  (one.name < other.name ? -1 : 1)

const sourceOf = (documents: readonly NamedText[]): string =>
  documents
    .map(({ name, content }) => `${name} ${createHash('sha256').update(content).digest('hex')}`)
    .join('\n')

async function save(
  tx: ChangeTransaction,
  orgId: string,
  siteId: string,
  prepared: store.NewRuleTable,
): Promise<void> {
  const bytes = await store.saveRuleTable(tx, orgId, siteId, prepared)
  if (bytes > ORGANIZATION_BYTES_MAX)
    throw new ProblemError('conflict', {
      detail: `All API definitions that are rules would be more than ${ORGANIZATION_BYTES_MAX} bytes, compiled.`,
    })
}

const changedMeanwhile = (): ProblemError =>
  new ProblemError('conflict', { detail: 'The API definition was changed meanwhile; try again.' })

async function compiled(
  compiler: Pick<RuleCompiler, 'compile'>,
  orgId: string,
  documents: readonly NamedText[],
  path: string,
): Promise<store.NewRuleTable> {
  try {
    return { ...(await compiler.compile(orgId, documents)), source: sourceOf(documents) }
  } catch (error) {
    if (error instanceof NoRuleError) throw invalid(path, error.message)
    throw error
  }
}
