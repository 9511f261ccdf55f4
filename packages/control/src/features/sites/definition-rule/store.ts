/** SQL of API definitions as rules: the document that is compiled, and the table that it became. */
import type { Transaction } from '../../../database/database.ts'
import { firstRow, firstValue } from '../../../database/rows.ts'

/** The text of a document, with the hash that tells it from others. */
export interface RuleDocument {
  readonly document: string
  readonly hash: string
}

const HASH = `encode(sha256(convert_to(document, 'UTF8')), 'hex')`

/** The document that is a site's rule. All that asks which one this is asks here. */
export const findRuleDocument = (
  tx: Transaction,
  orgId: string,
  siteId: string,
): Promise<RuleDocument | undefined> =>
  firstRow(tx, `SELECT document, ${HASH} AS hash FROM site_definitions WHERE org_id = $1 AND site_id = $2`, [
    orgId,
    siteId,
  ])

/** The hash of that document, without the text. */
export const findRuleDocumentHash = (
  tx: Transaction,
  orgId: string,
  siteId: string,
): Promise<string | undefined> =>
  firstValue(tx, `SELECT ${HASH} FROM site_definitions WHERE org_id = $1 AND site_id = $2`, [orgId, siteId])

export interface RuleTableRow {
  readonly source_hash: string
  readonly operations: number
  readonly left_out: readonly string[]
  readonly bytes: number
}

/** What is known of the table that a site's rule is, without the table. */
export const findRuleTable = (
  tx: Transaction,
  orgId: string,
  siteId: string,
): Promise<RuleTableRow | undefined> =>
  firstRow(
    tx,
    `SELECT source_hash, operations, left_out, octet_length(compiled) AS bytes
     FROM site_definition_tables WHERE org_id = $1 AND site_id = $2`,
    [orgId, siteId],
  )

export interface NewRuleTable {
  readonly sourceHash: string
  readonly hash: string
  readonly table: string
  readonly operations: number
  readonly leftOut: readonly string[]
}

/** Puts a table in force; returns how many bytes all tables of the organization are. */
export async function saveRuleTable(
  tx: Transaction,
  orgId: string,
  siteId: string,
  { sourceHash, hash, table, operations, leftOut }: NewRuleTable,
): Promise<number> {
  await tx.query(
    `INSERT INTO site_definition_tables (org_id, site_id, source_hash, hash, compiled, operations, left_out)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (org_id, site_id) DO UPDATE SET source_hash = excluded.source_hash, hash = excluded.hash,
       compiled = excluded.compiled, operations = excluded.operations, left_out = excluded.left_out`,
    [orgId, siteId, sourceHash, hash, table, operations, JSON.stringify(leftOut)],
  )
  const total = await firstValue<number>(
    tx,
    'SELECT COALESCE(sum(octet_length(compiled)), 0)::float8 FROM site_definition_tables WHERE org_id = $1',
    [orgId],
  )
  return total ?? 0
}

export const deleteRuleTable = async (tx: Transaction, orgId: string, siteId: string): Promise<void> => {
  await tx.query('DELETE FROM site_definition_tables WHERE org_id = $1 AND site_id = $2', [orgId, siteId])
}
