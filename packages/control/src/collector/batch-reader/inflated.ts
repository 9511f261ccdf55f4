/** Zstandard frames (RFC 8878) as what they hold, in pieces. Nothing is inflated before it is read, so a reader that stops bounds it. */
import { pipeline, Readable } from 'node:stream'
import { constants, createZstdDecompress } from 'node:zlib'

/** Frames that want a larger window than 8 MiB are refused: 2 to the power of this is what inflating may keep. */
const WINDOW_LOG_MAX = 23

/** The stream's content, of one frame or several one after the other. Throws where it is not whole. */
export function inflated(compressed: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const inflate = createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG_MAX } })
  // What fails is thrown where the result is read.
  pipeline(Readable.from(compressed), inflate, () => undefined)
  return inflate
}
