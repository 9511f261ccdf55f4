/**
 * Seals everything anew under the present secret key, after it has been changed: run at every start, and finds nothing
 * to do at most of them. Once it has run, the earlier key is not needed any more.
 */

import type { Cipher } from '../secrets/cipher.ts'
import { SEALED_COLUMNS, type SealedColumn } from '../secrets/sealed-columns.ts'
import type { Database, Transaction } from './database.ts'

export interface Resealed {
  readonly resealed: number
  /** Texts under a key that is not known any more; they are left as they are. */
  readonly unreadable: number
}

type SealingDatabase = Pick<Database, 'readInstallation' | 'write' | 'writeInstallation'>

const PAGE_ROWS = 500

/** Stops between two pages where `signal` says so. What is changed meanwhile is under the present key already. */
export async function resealAll(
  database: SealingDatabase,
  cipher: Cipher,
  signal?: AbortSignal,
): Promise<Resealed> {
  let resealed = 0
  let unreadable = 0
  for (const column of SEALED_COLUMNS)
    for await (const { key, sealed } of outdated(database, column, cipher.prefix, signal)) {
      const anew = sealAnew(cipher, sealed, column.placeOf(...key))
      if (anew === undefined) unreadable += 1
      else resealed += await replace(database, column, key, sealed, anew)
    }
  return { resealed, unreadable }
}

function sealAnew(cipher: Cipher, sealed: string, place: string): string | undefined {
  try {
    return cipher.encrypt(cipher.decrypt(sealed, place), place)
  } catch {
    return undefined
  }
}

interface SealedRow {
  /** One value or two, as the column says. */
  readonly key: [string, string]
  readonly sealed: string
}

/** Rows whose text does not begin as those under the present key do, in the order of their keys. */
async function* outdated(
  database: SealingDatabase,
  { table, column, key }: SealedColumn,
  prefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<SealedRow> {
  const names = Object.keys(key)
  const after = Object.values(key).map((type, index) => `$${index + 2}::${type}`)
  const statement = (following: string): string =>
    `SELECT array[${names.map((name) => `${name}::text`)}] AS key, ${column} AS sealed FROM ${table}
     WHERE ${column} <> '' AND NOT starts_with(${column}, $1) ${following} ORDER BY ${names} LIMIT ${PAGE_ROWS}`
  let last: SealedRow | undefined
  do {
    const [text, values] = last
      ? [statement(`AND (${names}) > (${after})`), [prefix, ...last.key]]
      : [statement(''), [prefix]]
    const read = isTenantTable(key) ? database.readInstallation : database.writeInstallation
    const rows = await read((tx) => tx.query<SealedRow>(text, values))
    yield* rows
    last = rows.length < PAGE_ROWS ? undefined : rows.at(-1)
  } while (last && !signal?.aborted)
}

/** Replaces a text by the same one sealed otherwise, unless it was changed meanwhile; versions stay. Returns how many. */
async function replace(
  database: SealingDatabase,
  { table, column, key }: SealedColumn,
  values: readonly string[],
  before: string,
  after: string,
): Promise<number> {
  const conditions = Object.keys(key).map((name, index) => `${name} = $${index + 3}`)
  const statement = `UPDATE ${table} SET ${column} = $1 WHERE ${column} = $2 AND ${conditions.join(' AND ')} RETURNING 1`
  const work = (tx: Transaction) => tx.query(statement, [after, before, ...values])
  const [orgId = ''] = values
  const rows = await (isTenantTable(key) ? database.write(orgId, work) : database.writeInstallation(work))
  return rows.length
}

const isTenantTable = (key: SealedColumn['key']): boolean => 'org_id' in key
