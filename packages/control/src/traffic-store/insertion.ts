/** Rows on their way into the traffic store. */

/** An insert of rows that are bytes already, which the store takes as they are. */
export interface Insertion {
  readonly table: string
  readonly columns: readonly string[]
  /** How the rows are written: a JSON array a line, its cells in the order of the columns, or one block that names its columns. */
  readonly format: 'JSONCompactEachRow' | 'Native'
  readonly rows: Buffer
  /** Names the insert: one that is repeated under its name stores what is missing of it, and nothing twice. */
  readonly name: string
  /** No two rows have one key: they need not be merged before they are stored. */
  readonly isMerged?: boolean
}

/** Settings of every insert: named, stored before it is acknowledged, whatever days its rows fall on. */
const insertSettings = ({ name, isMerged = false }: Insertion) => ({
  insert_deduplication_token: name,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  async_insert: 0,
  max_partitions_per_insert_block: 0,
  max_insert_block_size: 1_000_000,
  input_format_parallel_parsing: 0,
  ...(isMerged && { optimize_on_insert: 0 }),
})

/** The insert as a statement, which its rows follow unless it names the file that they lie in. */
export function insertStatement(insertion: Insertion, file?: string): string {
  const { table, columns, format } = insertion
  const settings = Object.entries(insertSettings(insertion)).map(([setting, value]) =>
    typeof value === 'number' ? `${setting} = ${value}` : `${setting} = '${value}'`,
  )
  const source = file === undefined ? '' : `FROM INFILE '${file}' `
  return `INSERT INTO ${table} (${columns.join(', ')}) ${source}SETTINGS ${settings.join(', ')} FORMAT ${format}`
}
