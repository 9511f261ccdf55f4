/**
 * Firewall rule sets of the installation. They belong to no organization, and so are in no organization's audit log; the
 * table keeps when each was imported.
 */
import type { Database, Transaction } from '../database/database.ts'

export interface RuleSetSummary {
  readonly name: string
  readonly rules: number
  readonly importedAt: string
}

export interface RuleSetActs {
  /** Puts a rule set in force on every gateway, in place of one with the same name. `rules` is JSON for the engine. */
  installRuleSet(name: string, rules: string, ruleCount: number): Promise<RuleSetSummary>
  listRuleSets(): Promise<RuleSetSummary[]>
  /** False where there is none with this name. */
  removeRuleSet(name: string): Promise<boolean>
}

const COLUMNS = 'name, rule_count AS rules, imported_at AS "importedAt"'

export const ruleSetActs = (database: Database): RuleSetActs => ({
  installRuleSet: (name, rules, ruleCount) =>
    database.writeInstallation(async (tx) => {
      const [summary] = await tx.query<RuleSetSummary>(
        `INSERT INTO rule_sets (name, rules, rule_count) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET rules = excluded.rules, rule_count = excluded.rule_count, imported_at = now()
         RETURNING ${COLUMNS}`,
        [name, rules, ruleCount],
      )
      if (!summary) throw new Error('the rule set was not stored')
      await tellGateways(tx, name)
      return summary
    }),
  listRuleSets: () =>
    database.readInstallation((tx) =>
      tx.query<RuleSetSummary>(`SELECT ${COLUMNS} FROM rule_sets ORDER BY name`),
    ),
  removeRuleSet: (name) =>
    database.writeInstallation(async (tx) => {
      const removed = await tx.query('DELETE FROM rule_sets WHERE name = $1 RETURNING name', [name])
      if (removed.length > 0) await tellGateways(tx, name)
      return removed.length > 0
    }),
})

const tellGateways = (tx: Transaction, name: string): Promise<unknown> =>
  tx.query("SELECT record_installation_change('ruleSet', $1)", [name])
