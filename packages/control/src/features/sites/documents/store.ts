/**
 * SQL of the API definitions of sites: several documents a site, each with its versions. The texts are stored as JSON in UTF-8, or as
 * the format says, compressed; `document-text.ts` reads them.
 */
import { type DocumentFormat, MAIN_DOCUMENT } from '@sallyport/contract'
import type { Transaction } from '../../../database/database.ts'
import { firstRow, firstValue, writtenRow } from '../../../database/rows.ts'

/** A version of a document, without its text. */
export interface VersionRow {
  readonly name: string
  readonly number: number
  readonly format: DocumentFormat
  readonly size_bytes: number
  readonly operations: number | null
  readonly restored_from: number | null
  readonly created_at: string
  readonly created_by: string
}

/** The text of a version as it is stored. */
export interface StoredText {
  readonly content: Buffer
  readonly packing: 'none' | 'gzip'
}

export type DocumentRow = VersionRow & StoredText

/** A document in force, as far as it says what requests look like. */
export interface NamedText extends StoredText {
  readonly name: string
}

/** What a thread needs of a version. */
export const storedDocument = ({ format, content, packing }: DocumentRow) => ({ format, content, packing })

/** What is written of a version. */
export interface NewVersion {
  readonly format: DocumentFormat
  readonly sizeBytes: number
  readonly operations: number | null
  readonly content: Uint8Array
  readonly packing: StoredText['packing']
  readonly restoredFrom: number | null
  readonly createdBy: string
}

const COLUMNS = 'name, number, format, size_bytes, operations, restored_from, created_at, created_by'
const IN_FORCE = `site_documents d JOIN site_document_versions v USING (org_id, site_id, name, number)
  WHERE org_id = $1 AND site_id = $2`

/** The documents in force of a site, without their texts: `main` first, the others by name. */
export const listDocuments = (tx: Transaction, orgId: string, siteId: string): Promise<VersionRow[]> =>
  tx.query<VersionRow>(`SELECT ${COLUMNS} FROM ${IN_FORCE} ORDER BY ${MAIN_FIRST}`, [orgId, siteId])

/** Those that say what requests look like. */
export const isOpenApi = (format: DocumentFormat): boolean => /^(?:openapi|swagger)-/.test(format)
/** The same as a condition on the column `format`. */
export const IS_OPEN_API = "(format LIKE 'openapi-%' OR format LIKE 'swagger-%')"
/** In the order in which documents are listed, which is that in which they count. */
export const MAIN_FIRST = `name <> '${MAIN_DOCUMENT}', name COLLATE "C"`

/** The documents in force of a site that say what requests look like, in the same order. */
export const findOpenApiDocuments = (tx: Transaction, orgId: string, siteId: string): Promise<NamedText[]> =>
  tx.query<NamedText>(
    `SELECT name, content, packing FROM ${IN_FORCE} AND ${IS_OPEN_API} ORDER BY ${MAIN_FIRST}`,
    [orgId, siteId],
  )

/** One document with its text: the version `number`, or the one in force. */
export const findDocument = (
  tx: Transaction,
  orgId: string,
  siteId: string,
  name: string,
  number: number | null = null,
): Promise<DocumentRow | undefined> =>
  firstRow(
    tx,
    `SELECT ${COLUMNS}, content, packing FROM site_document_versions
     WHERE org_id = $1 AND site_id = $2 AND name = $3 AND number = COALESCE($4,
       (SELECT number FROM site_documents WHERE org_id = $1 AND site_id = $2 AND name = $3))`,
    [orgId, siteId, name, number],
  )

/** The versions of a document that are kept, the newest first. */
export const listVersions = (
  tx: Transaction,
  orgId: string,
  siteId: string,
  name: string,
): Promise<VersionRow[]> =>
  tx.query<VersionRow>(
    `SELECT ${COLUMNS} FROM site_document_versions
     WHERE org_id = $1 AND site_id = $2 AND name = $3 ORDER BY number DESC`,
    [orgId, siteId, name],
  )

/** Makes a version the one in force, of a document that may be new. Returns nothing where that version is in force already. */
export const insertVersion = (
  tx: Transaction,
  orgId: string,
  siteId: string,
  name: string,
  version: NewVersion,
): Promise<VersionRow | undefined> =>
  firstRow(
    tx,
    `WITH in_force AS (
       SELECT v.content FROM ${IN_FORCE} AND name = $3
     ), written AS (
       INSERT INTO site_documents AS d (org_id, site_id, name, number)
       SELECT $1, $2, $3, 1 WHERE NOT EXISTS (SELECT 1 FROM in_force WHERE content = $7)
       ON CONFLICT (org_id, site_id, name) DO UPDATE SET number = d.number + 1
       RETURNING number
     )
     INSERT INTO site_document_versions
       (org_id, site_id, name, number, format, size_bytes, operations, content, packing, restored_from, created_by)
     SELECT $1, $2, $3, number, $4, $5, $6, $7, $8, $9, $10 FROM written
     RETURNING ${COLUMNS}`,
    [
      orgId,
      siteId,
      name,
      version.format,
      version.sizeBytes,
      version.operations,
      version.content,
      version.packing,
      version.restoredFrom,
      version.createdBy,
    ],
  )

/** Raises the version of a (locked) site, whose documents have changed; returns it. */
export const raiseSiteVersion = async (tx: Transaction, orgId: string, siteId: string): Promise<number> =>
  (
    await writtenRow<{ version: number }>(
      tx,
      'UPDATE sites SET version = version + 1 WHERE org_id = $1 AND id = $2 RETURNING version',
      [orgId, siteId],
    )
  ).version

/**
 * Removes the oldest versions that are more than `versionsMax` before the one in force, and those of the whole site that are beyond
 * `bytesMax` as they are stored. What is in force stays.
 */
export const deleteOldVersions = (
  tx: Transaction,
  orgId: string,
  siteId: string,
  { versionsMax, bytesMax }: { readonly versionsMax: number; readonly bytesMax: number },
): Promise<unknown> =>
  tx.query(
    `DELETE FROM site_document_versions v USING (
       SELECT v.name, v.number, v.number = d.number AS in_force,
         row_number() OVER (PARTITION BY v.name ORDER BY v.number DESC) AS place,
         sum(octet_length(v.content)) OVER (ORDER BY v.number = d.number DESC, v.created_at DESC, v.name, v.number DESC) AS bytes
       FROM site_document_versions v JOIN site_documents d USING (org_id, site_id, name)
       WHERE org_id = $1 AND site_id = $2
     ) AS kept
     WHERE v.org_id = $1 AND v.site_id = $2 AND v.name = kept.name AND v.number = kept.number
       AND NOT kept.in_force AND (kept.place > $3 + 1 OR kept.bytes > $4)`,
    [orgId, siteId, versionsMax, bytesMax],
  )

/** Removes a document with its versions; returns whether it was there. */
export async function deleteDocument(
  tx: Transaction,
  orgId: string,
  siteId: string,
  name: string,
): Promise<boolean> {
  const removed = await firstValue(
    tx,
    'DELETE FROM site_documents WHERE org_id = $1 AND site_id = $2 AND name = $3 RETURNING number',
    [orgId, siteId, name],
  )
  // What the version before reads, while both run.
  if (name === MAIN_DOCUMENT)
    await tx.query('DELETE FROM site_definitions WHERE org_id = $1 AND site_id = $2', [orgId, siteId])
  return removed !== undefined
}
