/** Reads newline-delimited text from a stream within bounds. */
import { LineReader } from '@sallyport/toolbox'

/** The stream held more than it may. */
export class TooMuchInput extends Error {}

/**
 * Calls `onLine` with the lines of a byte stream as text, without their newline and without empty lines, those that a chunk ends
 * in one go. Throws `TooMuchInput` as soon as more than `bytesMax` bytes have come. Memory: a chunk and the longest line.
 */
export async function readLines(
  stream: AsyncIterable<Buffer>,
  bytesMax: number,
  onLine: (line: string) => void,
): Promise<void> {
  let total = 0
  const reader = new LineReader()
  for await (const chunk of stream) {
    total += chunk.length
    if (total > bytesMax) throw new TooMuchInput(`more than ${bytesMax} bytes`)
    reader.add(chunk)
    for (let lines = reader.nextLines(); lines; lines = reader.nextLines()) decodeLines(lines, onLine)
  }
  decodeLines(reader.rest(), onLine)
}

const LINE_FEED = 0x0a

/**
 * The first line of a byte stream, and the stream from there on, to be read once. Throws `TooMuchInput` where the line has not ended
 * within `bytesMax` bytes.
 */
export async function headLine(
  stream: AsyncIterable<Buffer>,
  bytesMax: number,
): Promise<{ readonly head: string; readonly rest: AsyncIterable<Buffer> }> {
  const chunks = stream[Symbol.asyncIterator]()
  const head: Buffer[] = []
  let bytes = 0
  for (;;) {
    const { value, done } = await chunks.next()
    if (done) return { head: Buffer.concat(head).toString('utf8'), rest: following(undefined, chunks) }
    const end = value.indexOf(LINE_FEED)
    const ofHead = end === -1 ? value : value.subarray(0, end)
    bytes += ofHead.length
    if (bytes > bytesMax) throw new TooMuchInput(`more than ${bytesMax} bytes`)
    head.push(ofHead)
    if (end === -1) continue
    const rest = following(value.subarray(end + 1), chunks)
    return { head: Buffer.concat(head).toString('utf8'), rest }
  }
}

async function* following(first: Buffer | undefined, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first) yield first
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
}

/** Decodes whole lines together: for each by itself that would cost as much as parsing it. */
function decodeLines(lines: Buffer, onLine: (line: string) => void): void {
  for (const line of lines.toString('utf8').split('\n')) if (line !== '') onLine(line)
}
