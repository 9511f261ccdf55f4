/**
 * Keeps the table of a site's rule as its document and its settings are. A table is compiled before the change that needs it, because
 * that takes a while; the change then finds out whether it is still of the document that is in force.
 */
import { createHash } from 'node:crypto'
import type { FirewallSettings } from '@sallyport/contract'
import type { ChangeTransaction, Database } from '../../../database/database.ts'
import { readSettings } from '../../../database/site-columns.ts'
import { invalid, ProblemError } from '../../../errors.ts'
import { readRow } from '../../../http/rows.ts'
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
  const [known, document] = await database.read(orgId, async (tx) => [
    await store.findRuleTable(tx, orgId, siteId),
    await store.findRuleDocument(tx, orgId, siteId),
  ])
  if (!document) throw invalid(MODE, 'needs an API definition that was uploaded')
  if (known?.source_hash === document.hash) return undefined
  return compiled(ruleCompiler, document, MODE)
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
  const [document, table] = [
    await store.findRuleDocumentHash(tx, orgId, siteId),
    await store.findRuleTable(tx, orgId, siteId),
  ]
  if (document === undefined || document !== table?.source_hash) throw changedMeanwhile()
}

/** What a site needs whose document is to be this one: its table, where the rule is on. */
export async function prepareUploaded(
  { database, ruleCompiler }: KeepRuleDeps,
  orgId: string,
  siteId: string,
  document: string,
): Promise<store.NewRuleTable | undefined> {
  const row = await readRow(database, orgId, siteId, findSettings)
  if (!isRuleOn(readSettings(row, 'firewall'))) return undefined
  const hash = createHash('sha256').update(document).digest('hex')
  return compiled(ruleCompiler, { document, hash }, '')
}

/** Part of the change that has put the document there; returns whether the rule is another now. */
export async function keepUploaded(
  tx: ChangeTransaction,
  orgId: string,
  siteId: string,
  prepared: store.NewRuleTable | undefined,
): Promise<boolean> {
  const row = await findSettings(tx, orgId, siteId)
  if (!(row && isRuleOn(readSettings(row, 'firewall')))) return false
  if (!prepared) throw changedMeanwhile()
  await save(tx, orgId, siteId, prepared)
  return true
}

/** Part of the change that takes the document away. */
export async function refuseWhileRule(tx: ChangeTransaction, orgId: string, siteId: string): Promise<void> {
  const row = await findSettings(tx, orgId, siteId)
  if (row && isRuleOn(readSettings(row, 'firewall')))
    throw new ProblemError('conflict', {
      detail: 'The API definition is in force as a rule of the firewall. Switch that off first.',
    })
}

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
  document: store.RuleDocument,
  path: string,
): Promise<store.NewRuleTable> {
  try {
    return await compiler.compile(document)
  } catch (error) {
    if (error instanceof NoRuleError) throw invalid(path, error.message)
    throw error
  }
}
