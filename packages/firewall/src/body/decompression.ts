import type { Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib'
import { isCompressed } from '../decoding/embedded-base64.ts'

const LAYERS_MAX = 2
/** 8 MB, the most that a Content-Encoding may ask of who reads it (RFC 9659). */
const ZSTD_WINDOW_LOG_MAX = 23

type Decompressor = Transform & { readonly bytesWritten: number }

/** What came out of a compressed body. `complete` is false where it was cut at the bound, broken, or not understood. */
export interface Decompressed {
  readonly bytes: Buffer
  readonly complete: boolean
}

/**
 * Undoes a body's Content-Encoding, at most `bytesMax` bytes of it: a bomb costs no more than that. What cannot be
 * undone is given back as it is.
 */
export async function decompress(bytes: Buffer, encodings: string, bytesMax: number): Promise<Decompressed> {
  const layers = encodings
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  const compressed = layers.filter((name) => name !== '' && name !== 'identity').reverse()
  if (compressed.length > LAYERS_MAX) return { bytes, complete: false }
  let result: Decompressed = { bytes, complete: true }
  for (const name of compressed) {
    const next = await undo(result.bytes, name, bytesMax)
    result = { bytes: next.bytes, complete: result.complete && next.complete }
  }
  return result
}

/**
 * Undoes compression that no header tells of, by how the bytes begin; undefined where they are not compressed so.
 */
export async function decompressUndeclared(
  bytes: Buffer,
  bytesMax: number,
): Promise<Decompressed | undefined> {
  let result: Decompressed | undefined
  for (let layer = 0; layer < LAYERS_MAX; layer++) {
    const inner: Buffer = result?.bytes ?? bytes
    if (!isCompressed(inner)) break
    const next = await undo(inner, inner[0] === 0x1f ? 'gzip' : 'deflate', bytesMax)
    if (next.bytes === inner) break
    result = { bytes: next.bytes, complete: next.complete && (result?.complete ?? true) }
  }
  return result
}

async function undo(bytes: Buffer, encoding: string, bytesMax: number): Promise<Decompressed> {
  const small = undoSmall(bytes, encoding, Math.min(bytesMax, SMALL_BYTES_MAX))
  if (small) return small
  const stream = decompressor(bytes, encoding)
  if (!stream) return { bytes, complete: false }
  const chunks: Buffer[] = []
  let length = 0
  let complete = true
  try {
    stream.end(bytes)
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length > bytesMax) {
        complete = false
        break
      }
    }
  } catch {
    complete = false
  }
  if (length === 0) return { bytes, complete: false }
  // What follows the end of the compressed data is no error to a decoder, which leaves it.
  const consumed = stream.bytesWritten === bytes.length
  return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), complete: complete && consumed }
}

/**
 * So little is undone here and now, which takes less than handing it to another thread: a millisecond at most, whatever the data.
 * Of what comes out there may be more.
 */
const SMALL_COMPRESSED_BYTES_MAX = 4 * 1024
const SMALL_BYTES_MAX = 64 * 1024

/** Undoes gzip or deflate of little data that comes out whole; undefined of all else, which the stream decides. */
function undoSmall(bytes: Buffer, encoding: string, bytesMax: number): Decompressed | undefined {
  const isGzip = GZIP.has(encoding)
  if (bytes.length > SMALL_COMPRESSED_BYTES_MAX || !(isGzip || encoding === 'deflate')) return undefined
  const undoAll = isGzip ? gunzipSync : hasZlibHeader(bytes) ? inflateSync : inflateRawSync
  try {
    // With `info` the answer has two parts, of which Node's types say nothing.
    const answer: unknown = undoAll(bytes, { maxOutputLength: bytesMax, info: true })
    const { buffer, engine } = answer as { buffer: Buffer; engine: { bytesWritten: number } }
    return buffer.length === 0 ? undefined : { bytes: buffer, complete: engine.bytesWritten === bytes.length }
  } catch {
    return undefined
  }
}

const GZIP: ReadonlySet<string> = new Set(['gzip', 'x-gzip'])

/** Many senders mean raw deflate by `deflate`; the zlib header tells which it is. */
const hasZlibHeader = (bytes: Buffer): boolean => ((bytes[0] ?? 0) & 0x0f) === 8

function decompressor(bytes: Buffer, encoding: string): Decompressor | undefined {
  if (GZIP.has(encoding)) return createGunzip()
  if (encoding === 'deflate') return hasZlibHeader(bytes) ? createInflate() : createInflateRaw()
  if (encoding === 'br') return createBrotliDecompress()
  if (encoding === 'zstd')
    return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX } })
  return undefined
}
