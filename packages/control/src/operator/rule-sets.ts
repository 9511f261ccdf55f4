/** Firewall rule sets of the installation, which every gateway runs beside the default rules. */
import { createHash } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { ChangeInstallation } from './installation-log.ts'
import {
  deleteRuleSet,
  findRuleSet,
  listRuleSets,
  type RuleSetSummary,
  saveRuleSet,
} from './rule-set-store.ts'

/** A rule set, and where it is from, for the log. */
export interface ImportedRuleSet {
  readonly name: string
  /** JSON for the engine. */
  readonly rules: string
  readonly ruleCount: number
  /** What was imported, for example a directory and a paranoia level. */
  readonly source: string
}

export interface RuleSetActs {
  /** Puts a rule set in force on every gateway, in place of one with the same name. */
  installRuleSet(ruleSet: ImportedRuleSet): Promise<RuleSetSummary>
  listRuleSets(): Promise<RuleSetSummary[]>
  /** False where there is none with this name. */
  removeRuleSet(name: string): Promise<boolean>
}

export const ruleSetActs = (database: Database, change: ChangeInstallation): RuleSetActs => ({
  installRuleSet: ({ name, rules, ruleCount, source }) =>
    change(async (tx) => {
      const before = await findRuleSet(tx, name)
      const summary = await saveRuleSet(tx, { name, rules, ruleCount })
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
  listRuleSets: () => database.readInstallation(listRuleSets),
  removeRuleSet: (name) =>
    change(async (tx) => {
      const before = await findRuleSet(tx, name)
      if (!before) return false
      await deleteRuleSet(tx, name)
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
