/** The text of a document as it was stored. */
import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import { DOCUMENT_BYTES_MAX } from '@sallyport/contract'

/** The text of a version as it is stored. */
export interface PackedText {
  readonly content: Uint8Array
  readonly packing: 'none' | 'gzip'
}

/** What a document of so many bytes may become as JSON, where its escapes are written out. Whatever we store is shorter. */
export const TEXT_BYTES_MAX = 2 * DOCUMENT_BYTES_MAX
const OPTIONS = { maxOutputLength: TEXT_BYTES_MAX }
const unpack = promisify(gunzip)

/** The text, unpacked beside the event loop. Parsing one of many MiB is for a thread. */
export const textOf = async ({ content, packing }: PackedText): Promise<string> =>
  (packing === 'gzip' ? await unpack(content, OPTIONS) : Buffer.from(content)).toString()

/** The text, in a thread that has nothing else to do. */
export const textOfNow = ({ content, packing }: PackedText): string =>
  (packing === 'gzip' ? gunzipSync(content, OPTIONS) : Buffer.from(content)).toString()
