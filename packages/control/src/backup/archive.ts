/**
 * The file of a backup: a tar archive, compressed by zstd, of pieces that are checked one by one.
 *
 *     manifest.json    first: what it is, and the shape of what follows
 *     00001-sites …    pieces: rows of one table each
 *     checksums.json   last: the SHA-256 of every entry before it, and an HMAC of them all under the installation's secret key
 *
 * A file that was cut off has no last entry. One that was altered does not have the HMAC, unless by who has the key, which is not in it.
 */
import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { extract, pack } from 'tar-stream'
import { z } from 'zod'

export const BACKUP_FORMAT = 1
const MANIFEST = 'manifest.json'
const CHECKSUMS = 'checksums.json'
/** The frame has a checksum of its own: also what is between the entries is as it was written. */
const COMPRESSION = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
/** Well over the largest piece that is written. */
const ENTRY_BYTES_MAX = 1024 ** 3

const columns = z.record(z.string().regex(/^[a-z_]{1,63}$/), z.array(z.string().regex(/^[a-z0-9_.]{1,63}$/)))
const manifest = z.strictObject({
  format: z.literal(BACKUP_FORMAT),
  /** Of the program that wrote it. */
  version: z.string().max(64),
  createdAt: z.iso.datetime(),
  /** Migrations of the database that were applied. */
  migrations: z.array(z.string().max(128)).max(9999),
  /** Columns of the tables of each engine. */
  database: columns,
  traffic: columns,
})
const checksums = z.strictObject({
  entries: z.array(z.strictObject({ name: z.string(), rows: z.int(), bytes: z.int(), sha256: z.string() })),
  hmac: z.string(),
})

export type BackupManifest = z.output<typeof manifest>
type Checksums = z.output<typeof checksums>

/** Rows of one table, as their engine writes them. */
export interface BackupPiece {
  readonly engine: 'database' | 'traffic'
  readonly table: string
  readonly rows: number
  readonly data: Buffer
}

/** Something about the file is wrong; the message is for the operator. */
export class BadBackup extends Error {
  readonly code = 'BAD_BACKUP'
}

const macKey = (secretKey: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secretKey, '', 'sallyport backups', 32))
const macOf = (entries: Checksums['entries'], secretKey: Uint8Array): Buffer =>
  createHmac('sha256', macKey(secretKey)).update(JSON.stringify(entries)).digest()
const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex')
const nameOf = (piece: BackupPiece, number: number): string =>
  `${piece.engine}/${String(number).padStart(6, '0')}-${piece.table}`

/** Writes the file, mode 0600, where there is none, and returns how many rows of each table are in it. */
export async function writeArchive(
  file: string,
  secretKey: Uint8Array,
  describe: BackupManifest,
  pieces: AsyncIterable<BackupPiece>,
): Promise<Record<string, number>> {
  const archive = pack()
  const written = pipeline(
    archive,
    createZstdCompress(COMPRESSION),
    createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }),
  )
  let failure: unknown
  written.catch((error: unknown) => {
    failure = error
  })
  const entries: Checksums['entries'] = []
  const counts: Record<string, number> = {}
  const add = async (name: string, rows: number, data: Buffer): Promise<void> => {
    entries.push({ name, rows, bytes: data.length, sha256: sha256(data) })
    await put(name, data)
  }
  /** Resolves once it has been taken further: nothing waits in memory for the disk. */
  const put = (name: string, data: Buffer): Promise<void> => {
    const taken = new Promise<void>((resolve, reject) => {
      archive
        .entry({ name, size: data.length, mode: 0o600 }, (error) => (error ? reject(error) : resolve()))
        .end(data)
    })
    return Promise.race([taken, written])
  }
  try {
    await add(MANIFEST, 0, Buffer.from(JSON.stringify(describe)))
    let number = 0
    for await (const piece of pieces) {
      number += 1
      counts[piece.table] = (counts[piece.table] ?? 0) + piece.rows
      await add(nameOf(piece, number), piece.rows, piece.data)
    }
    const hmac = macOf(entries, secretKey).toString('hex')
    await put(CHECKSUMS, Buffer.from(JSON.stringify({ entries, hmac } satisfies Checksums)))
    archive.finalize()
    await written
    return counts
  } catch (error) {
    // What is put after the disk has failed meets an archive that is closed, which says nothing of the disk.
    const cause = failure ?? error
    archive.destroy()
    await written.catch(() => undefined)
    throw cause
  }
}

/** Entries as they follow one another. Throws a `BadBackup` where the file is no archive, or is cut off. */
async function* entriesOf(file: string): AsyncGenerator<{ readonly name: string; readonly data: Buffer }> {
  const archive = extract()
  const reading = pipeline(createReadStream(file), createZstdDecompress(), archive)
  reading.catch((error: Error) => archive.destroy(error))
  try {
    for await (const entry of archive) {
      if ((entry.header.size ?? 0) > ENTRY_BYTES_MAX) throw new BadBackup('an entry is too large')
      const chunks: Buffer[] = []
      for await (const chunk of entry) chunks.push(chunk as Buffer)
      yield { name: entry.header.name, data: Buffer.concat(chunks) }
    }
    await reading
  } catch (error) {
    if (error instanceof BadBackup) throw error
    throw new BadBackup(
      `${file} cannot be read as a backup: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** What a file holds, once all of it was checked. */
export interface CheckedBackup {
  readonly manifest: BackupManifest
  readonly counts: Readonly<Record<string, number>>
  /** A name of this very content. */
  readonly digest: string
  /** SHA-256 of each entry but the last, in their order. */
  readonly entryDigests: readonly string[]
}

/** Reads the whole file. Throws a `BadBackup` where it is damaged, cut off, altered, or under a secret key that is not among these. */
export async function checkArchive(file: string, secretKeys: readonly Uint8Array[]): Promise<CheckedBackup> {
  const seen: { name: string; bytes: number; sha256: string }[] = []
  let described: BackupManifest | undefined
  let last: Checksums | undefined
  for await (const { name, data } of entriesOf(file)) {
    if (last) throw new BadBackup(`${file} goes on after its end`)
    if (name === CHECKSUMS) last = readJson(checksums, data, name)
    else {
      if (seen.length === 0) described = readJson(manifest, data, name)
      seen.push({ name, bytes: data.length, sha256: sha256(data) })
    }
  }
  if (!described || !last) throw new BadBackup(`${file} is cut off: its last part is missing`)
  const { entries, hmac } = last
  const given = Buffer.from(hmac, 'hex')
  const isKnown = secretKeys.some((key) => {
    const expected = macOf(entries, key)
    return expected.length === given.length && timingSafeEqual(expected, given)
  })
  if (!isKnown)
    throw new BadBackup(
      `${file} was made under another secret key, or altered: set SALLYPORT_SECRET_KEY to the key of the installation that it is of, or put its secrets.json into the data directory`,
    )
  const listed = entries.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 }))
  const wrong = seen.find((one, index) => JSON.stringify(one) !== JSON.stringify(listed[index]))
  if (wrong || listed.length !== seen.length)
    throw new BadBackup(`${file} is damaged: ${wrong?.name ?? 'an entry'} is not what was written`)
  const counts: Record<string, number> = {}
  for (const { name, rows } of entries.slice(1)) {
    const { table } = pieceName(name)
    counts[table] = (counts[table] ?? 0) + rows
  }
  return { manifest: described, counts, digest: hmac, entryDigests: seen.map((entry) => entry.sha256) }
}

/** The pieces of a file that was checked. Throws a `BadBackup` where it is another one meanwhile. */
export async function* readArchive(
  file: string,
  { entryDigests }: Pick<CheckedBackup, 'entryDigests'>,
): AsyncGenerator<Omit<BackupPiece, 'rows'> & { readonly number: number }> {
  let number = 0
  for await (const { name, data } of entriesOf(file)) {
    if (name === CHECKSUMS) continue
    if (sha256(data) !== entryDigests[number]) throw new BadBackup(`${file} was changed while it was read`)
    if (number > 0) yield { ...pieceName(name), data, number }
    number += 1
  }
}

function pieceName(name: string): Pick<BackupPiece, 'engine' | 'table'> {
  const [, engine, table] = /^(database|traffic)\/\d+-([a-z_]+)$/.exec(name) ?? []
  if ((engine !== 'database' && engine !== 'traffic') || !table)
    throw new BadBackup(`${name} is no piece of a backup`)
  return { engine, table }
}

function readJson<Value>(schema: z.ZodType<Value>, data: Buffer, name: string): Value {
  try {
    return schema.parse(JSON.parse(data.toString('utf8')))
  } catch {
    throw new BadBackup(`${name} of the backup is not one that this version reads`)
  }
}
