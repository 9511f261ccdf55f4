/** SQL of the researcher list of a site, one researcher at a time. */
import type { Transaction } from '../../../database/database.ts'
import { firstRow } from '../../../database/rows.ts'

export interface ListedRow {
  readonly id: string
  readonly email: string
}

const LISTED = `SELECT r.id, r.email FROM site_researchers l
  JOIN researchers r ON r.org_id = l.org_id AND r.id = l.researcher_id WHERE l.org_id = $1 AND l.site_id = $2`

/** Who is on the list of a site, sorted by address. */
export const listedEmails = (tx: Transaction, orgId: string, siteId: string): Promise<ListedRow[]> =>
  tx.query(`${LISTED} ORDER BY lower(r.email), r.id`, [orgId, siteId])

/** One of them; nothing where the researcher is not on the list. */
export const findListed = (
  tx: Transaction,
  orgId: string,
  siteId: string,
  researcherId: string,
): Promise<ListedRow | undefined> =>
  firstRow(tx, `${LISTED} AND l.researcher_id = $3`, [orgId, siteId, researcherId])

const RAISE_VERSION = 'UPDATE sites SET version = version + 1 WHERE org_id = $1 AND id = $2'

/** Changes the list of a (locked) site by one researcher, and raises the version of the site. */
const changeListed =
  (sql: string) => (tx: Transaction, orgId: string, siteId: string, researcherId: string) =>
    Promise.all([tx.query(sql, [orgId, siteId, researcherId]), tx.query(RAISE_VERSION, [orgId, siteId])])

export const addListed = changeListed(
  'INSERT INTO site_researchers (org_id, site_id, researcher_id) VALUES ($1, $2, $3)',
)
export const removeListed = changeListed(
  'DELETE FROM site_researchers WHERE org_id = $1 AND site_id = $2 AND researcher_id = $3',
)
