/**
 * The tables of prefilters as bytes, in one piece: handed from thread to thread without a copy, and kept in a file. After a
 * checksum comes a directory in JSON, in which each array is a place, then the arrays as they lie in memory.
 */
import { crc32 } from 'node:zlib'
import type { PreparedTables } from '../prefilter/prefilter-source.ts'

const KINDS = { Uint8Array, Uint16Array, Int32Array }
type Kind = keyof typeof KINDS
type TableArray = InstanceType<(typeof KINDS)[Kind]>

/** Where an array lies: `at` is in bytes from the first array, `length` in elements. */
interface ArrayPlace {
  readonly array: Kind
  readonly at: number
  readonly length: number
}

interface Directory {
  readonly key: string
  readonly tables: PreparedTables
}

/** Checksum of what follows the header, and bytes of the directory. */
const HEADER_BYTES = 8
/** Of the largest elements that an array may have. */
const ALIGNMENT = 8
const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT

/** @param key says what the tables are of */
export function encodeTables(key: string, tables: PreparedTables): Uint8Array<ArrayBuffer> {
  const arrays: { readonly array: TableArray; readonly at: number }[] = []
  let arrayBytes = 0
  const placed = (array: TableArray): ArrayPlace => {
    const at = arrayBytes
    arrays.push({ array, at })
    arrayBytes += aligned(array.byteLength)
    return { array: kindOf(array), at, length: array.length }
  }
  const directory = Buffer.from(
    JSON.stringify({ key, tables } satisfies Directory, (_, value: unknown) => {
      if (value instanceof Map) return { map: [...value] }
      return isTableArray(value) ? placed(value) : value
    }),
  )
  const first = HEADER_BYTES + aligned(directory.length)
  const bytes = Buffer.from(new ArrayBuffer(first + arrayBytes))
  directory.copy(bytes, HEADER_BYTES)
  for (const { array, at } of arrays) bytes.set(bytesOf(array), first + at)
  bytes.writeUInt32LE(directory.length, 4)
  bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0)
  return new Uint8Array(bytes.buffer)
}

/** The tables in bytes, as views of these; undefined where the bytes are damaged, or of another key. */
export function decodeTables(key: string, given: Uint8Array<ArrayBuffer>): PreparedTables | undefined {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  if (bytes.length < HEADER_BYTES || crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) return undefined
  const directoryBytes = bytes.readUInt32LE(4)
  const first = bytes.byteOffset + HEADER_BYTES + aligned(directoryBytes)
  // Whole as the checksum says, so it is what `encodeTables` wrote.
  const directory: Directory = JSON.parse(
    bytes.toString('utf8', HEADER_BYTES, HEADER_BYTES + directoryBytes),
    (_, value) => {
      if (isArrayPlace(value)) return new KINDS[value.array](given.buffer, first + value.at, value.length)
      return isMap(value) ? new Map(value.map) : value
    },
  )
  return directory.key === key ? directory.tables : undefined
}

const bytesOf = ({ buffer, byteOffset, byteLength }: TableArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

const isTableArray = (value: unknown): value is TableArray => ArrayBuffer.isView(value)

function kindOf(array: TableArray): Kind {
  for (const kind of ['Uint8Array', 'Uint16Array', 'Int32Array'] as const)
    if (array instanceof KINDS[kind]) return kind
  throw new TypeError(`no tables are made of ${array}`)
}

const isArrayPlace = (value: unknown): value is ArrayPlace =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'array')

const isMap = (value: unknown): value is { readonly map: readonly (readonly [string, unknown])[] } =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'map')
