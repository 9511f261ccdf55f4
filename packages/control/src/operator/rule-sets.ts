/** Firewall rule sets of the installation, which every gateway runs beside the default rules. */
import { createHash } from 'node:crypto'
import type { Database, Transaction } from '../database/database.ts'
import type { ChangeInstallation } from './installation-log.ts'

/** A rule set, and where it is from, for the log. */
export interface ImportedRuleSet {
  readonly name: string
  /** JSON for the engine. */
  readonly rules: string
  readonly ruleCount: number
  /** What was imported, for example a directory and a paranoia level. */
  readonly source: string
}

export interface RuleSetSummary {
  readonly name: string
  readonly rules: number
  readonly importedAt: string
  /** Digest of the rules as they are stored now, to compare with what the log says was imported. */
  readonly sha256: string
}

export interface RuleSetActs {
  /** Puts a rule set in force on every gateway, in place of one with the same name. */
  installRuleSet(ruleSet: ImportedRuleSet): Promise<RuleSetSummary>
  listRuleSets(): Promise<RuleSetSummary[]>
  /** False where there is none with this name. */
  removeRuleSet(name: string): Promise<boolean>
}

const SHA256 = "encode(sha256(convert_to(rules, 'UTF8')), 'hex')"
const COLUMNS = `name, rule_count AS rules, imported_at AS "importedAt", ${SHA256} AS sha256`

export const ruleSetActs = (database: Database, change: ChangeInstallation): RuleSetActs => ({
  installRuleSet: ({ name, rules, ruleCount, source }) =>
    change(async (tx) => {
      const before = await findRuleSet(tx, name)
      const [summary] = await tx.query<RuleSetSummary>(
        `INSERT INTO rule_sets (name, rules, rule_count) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET rules = excluded.rules, rule_count = excluded.rule_count, imported_at = now()
         RETURNING ${COLUMNS}`,
        [name, rules, ruleCount],
      )
      if (!summary) throw new Error('the rule set was not stored')
      const sha256 = createHash('sha256').update(rules).digest('hex')
      tx.record({
        action: 'ruleSet.import',
        target: { kind: 'ruleSet', id: name },
        before,
        after: { source, rules: ruleCount, sha256 },
        config: [['ruleSet', name]],
      })
      return summary
    }),
  listRuleSets: () =>
    database.readInstallation((tx) =>
      tx.query<RuleSetSummary>(`SELECT ${COLUMNS} FROM rule_sets ORDER BY name`),
    ),
  removeRuleSet: (name) =>
    change(async (tx) => {
      const before = await findRuleSet(tx, name)
      if (!before) return false
      await tx.query('DELETE FROM rule_sets WHERE name = $1', [name])
      tx.record({
        action: 'ruleSet.remove',
        target: { kind: 'ruleSet', id: name },
        before,
        after: null,
        config: [['ruleSet', name]],
      })
      return true
    }),
})

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
