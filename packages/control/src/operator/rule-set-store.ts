/** SQL of rule sets. */
import type { Transaction } from '../database/database.ts'
import { firstRow, writtenRow } from '../database/rows.ts'

export interface RuleSetSummary {
  readonly name: string
  readonly rules: number
  readonly importedAt: string
  /** Digest of the rules as they are stored now, to compare with what the log says was imported. */
  readonly sha256: string
}

const SHA256 = "encode(sha256(convert_to(rules, 'UTF8')), 'hex')"
const COLUMNS = `name, rule_count AS rules, imported_at AS "importedAt", ${SHA256} AS sha256`

/** Stores a rule set, in place of one with the same name. */
export function saveRuleSet(
  tx: Transaction,
  { name, rules, ruleCount }: { readonly name: string; readonly rules: string; readonly ruleCount: number },
): Promise<RuleSetSummary> {
  return writtenRow(
    tx,
    `INSERT INTO rule_sets (name, rules, rule_count) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET rules = excluded.rules, rule_count = excluded.rule_count, imported_at = now()
     RETURNING ${COLUMNS}`,
    [name, rules, ruleCount],
  )
}

export const listRuleSets = (tx: Transaction): Promise<RuleSetSummary[]> =>
  tx.query<RuleSetSummary>(`SELECT ${COLUMNS} FROM rule_sets ORDER BY name`)

/** Keeps others from changing it until the transaction ends. */
export const findRuleSet = async (
  tx: Transaction,
  name: string,
): Promise<Pick<RuleSetSummary, 'rules' | 'sha256'> | null> =>
  (await firstRow<RuleSetSummary>(
    tx,
    `SELECT rule_count AS rules, ${SHA256} AS sha256 FROM rule_sets WHERE name = $1 FOR UPDATE`,
    [name],
  )) ?? null

export const deleteRuleSet = (tx: Transaction, name: string): Promise<unknown> =>
  tx.query('DELETE FROM rule_sets WHERE name = $1', [name])
