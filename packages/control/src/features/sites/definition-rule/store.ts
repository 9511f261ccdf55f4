/** SQL of API definitions as rules: the documents that are compiled, and the table that they became. */
import type { Transaction } from '../../../database/database.ts'
import { firstRow, firstValue } from '../../../database/rows.ts'
import { IS_OPEN_API, MAIN_FIRST } from '../documents/store.ts'

/** A line for each document, which tells it from others without its text. The first of several that have an operation counts. */
const SOURCE = `string_agg(name || ' ' || encode(sha256(content), 'hex'), E'\\n' ORDER BY ${MAIN_FIRST})`

/** Of which documents a site's rule should be: as `sourceOf` has it. */
export const findRuleSource = async (tx: Transaction, orgId: string, siteId: string): Promise<string> =>
  (await firstValue<string>(
    tx,
    `SELECT ${SOURCE} FROM site_documents d JOIN site_document_versions v USING (org_id, site_id, name, number)
     WHERE org_id = $1 AND site_id = $2 AND ${IS_OPEN_API}`,
    [orgId, siteId],
  )) ?? ''

export interface StaleRule {
  readonly orgId: string
  readonly id: string
  /** What the table should be of, as `findRuleSource` has it. */
  readonly source: string
}

/** Sites of all organizations whose rule is on without the table of the documents that are in force. */
export const listStaleRules = (tx: Transaction): Promise<StaleRule[]> =>
  tx.query<StaleRule>(
    `SELECT s.org_id AS "orgId", s.id, f.source
     FROM sites s LEFT JOIN site_definition_tables t ON t.org_id = s.org_id AND t.site_id = s.id
       LEFT JOIN LATERAL (
         SELECT ${SOURCE} AS source
         FROM site_documents d JOIN site_document_versions v USING (org_id, site_id, name, number)
         WHERE org_id = s.org_id AND site_id = s.id AND ${IS_OPEN_API}
       ) f ON true
     WHERE COALESCE(s.firewall #>> '{definition,mode}', 'off') <> 'off'
       AND f.source IS NOT NULL AND t.source IS DISTINCT FROM f.source
     ORDER BY s.id`,
  )

export interface RuleTableRow {
  readonly source: string
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
    `SELECT source, operations, left_out, octet_length(compiled) AS bytes
     FROM site_definition_tables WHERE org_id = $1 AND site_id = $2`,
    [orgId, siteId],
  )

export interface NewRuleTable {
  /** Of which documents it is, as `findRuleSource` has them. */
  readonly source: string
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
  { source, hash, table, operations, leftOut }: NewRuleTable,
): Promise<number> {
  await tx.query(
    `INSERT INTO site_definition_tables (org_id, site_id, source, hash, compiled, operations, left_out)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (org_id, site_id) DO UPDATE SET source = excluded.source, hash = excluded.hash,
       compiled = excluded.compiled, operations = excluded.operations, left_out = excluded.left_out`,
    [orgId, siteId, source, hash, table, operations, JSON.stringify(leftOut)],
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
