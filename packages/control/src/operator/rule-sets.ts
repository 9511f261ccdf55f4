/**
 * Firewall rule sets of the installation. They belong to no organization; who imported or removed which is in the
 * installation's own audit log, chained and checked as those of organizations are.
 */
import { createHash } from 'node:crypto'
import type { ChangeContext, ChangeTransaction, Database, Transaction } from '../database/database.ts'

/** A rule set, and where it is from, for the log. */
export interface ImportedRuleSet {
  readonly name: string
  /** JSON for the engine. */
  readonly rules: string
  readonly ruleCount: number
  /** What was imported, for example a directory and a paranoia level. */
  readonly source: string
  /** Account of the operating system under which the import was run. */
  readonly by: string
}

export interface RuleSetSummary {
  readonly name: string
  readonly rules: number
  readonly importedAt: string
  /** Digest of the rules as they are stored now, to compare with what the log says was imported. */
  readonly sha256: string
}

/** An entry of the log: an import, or a removal, which leaves no rules. */
export interface RuleSetLogEntry {
  readonly sequence: number
  readonly time: string
  readonly action: 'ruleSet.import' | 'ruleSet.remove'
  readonly name: string
  readonly by: string
  readonly source: string | null
  readonly rules: number | null
  readonly sha256: string | null
}

export interface RuleSetActs {
  /** Puts a rule set in force on every gateway, in place of one with the same name. */
  installRuleSet(ruleSet: ImportedRuleSet): Promise<RuleSetSummary>
  listRuleSets(): Promise<RuleSetSummary[]>
  /** False where there is none with this name. `by` as in an import. */
  removeRuleSet(name: string, by: string): Promise<boolean>
  /** Every import and removal, oldest first. */
  readRuleSetLog(): Promise<RuleSetLogEntry[]>
}

/** Stands for the installation where an audit log names its organization; no organization has it. */
export const INSTALLATION_LOG = '00000000-0000-0000-0000-000000000000'

const SHA256 = "encode(sha256(convert_to(rules, 'UTF8')), 'hex')"
const COLUMNS = `name, rule_count AS rules, imported_at AS "importedAt", ${SHA256} AS sha256`

/** @param contextOf makes the context of a change to the installation */
export const ruleSetActs = (
  database: Database,
  contextOf: (orgId: string) => ChangeContext,
): RuleSetActs => ({
  installRuleSet: ({ name, rules, ruleCount, source, by }) =>
    database.change(contextOf(INSTALLATION_LOG), async (tx) => {
      const before = await findRuleSet(tx, name)
      const [summary] = await tx.query<RuleSetSummary>(
        `INSERT INTO rule_sets (name, rules, rule_count) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET rules = excluded.rules, rule_count = excluded.rule_count, imported_at = now()
         RETURNING ${COLUMNS}`,
        [name, rules, ruleCount],
      )
      if (!summary) throw new Error('the rule set was not stored')
      const sha256 = createHash('sha256').update(rules).digest('hex')
      recordAct(tx, name, 'ruleSet.import', before, { by, source, rules: ruleCount, sha256 })
      return summary
    }),
  listRuleSets: () =>
    database.readInstallation((tx) =>
      tx.query<RuleSetSummary>(`SELECT ${COLUMNS} FROM rule_sets ORDER BY name`),
    ),
  removeRuleSet: (name, by) =>
    database.change(contextOf(INSTALLATION_LOG), async (tx) => {
      const before = await findRuleSet(tx, name)
      if (!before) return false
      await tx.query('DELETE FROM rule_sets WHERE name = $1', [name])
      recordAct(tx, name, 'ruleSet.remove', before, { by, source: null, rules: null, sha256: null })
      return true
    }),
  readRuleSetLog: () =>
    database.readInstallation(async (tx) => {
      const rows = await tx.query<{ sequence: number; entry: string }>(
        `SELECT sequence, entry FROM audit_log
         WHERE org_id = $1 AND action IN ('ruleSet.import', 'ruleSet.remove') ORDER BY sequence`,
        [INSTALLATION_LOG],
      )
      return rows.map(logEntryOf)
    }),
})

type RuleSetAct = Pick<RuleSetLogEntry, 'by' | 'source' | 'rules' | 'sha256'>

function recordAct(
  tx: ChangeTransaction,
  name: string,
  action: RuleSetLogEntry['action'],
  before: Pick<RuleSetSummary, 'rules' | 'sha256'> | null,
  after: RuleSetAct,
): void {
  tx.record({ action, target: { kind: 'ruleSet', id: name }, before, after, config: [['ruleSet', name]] })
}

async function findRuleSet(
  tx: Transaction,
  name: string,
): Promise<Pick<RuleSetSummary, 'rules' | 'sha256'> | null> {
  const [row] = await tx.query<Pick<RuleSetSummary, 'rules' | 'sha256'>>(
    `SELECT rule_count AS rules, ${SHA256} AS sha256 FROM rule_sets WHERE name = $1 FOR UPDATE`,
    [name],
  )
  return row ?? null
}

/** What `recordAct` and the chain wrote. */
interface StoredEntry {
  readonly time: string
  readonly action: RuleSetLogEntry['action']
  readonly target: { readonly id: string }
  readonly after: RuleSetAct
}

function logEntryOf({ sequence, entry }: { sequence: number; entry: string }): RuleSetLogEntry {
  const { time, action, target, after }: StoredEntry = JSON.parse(entry)
  return { sequence, time, action, name: target.id, ...after }
}
