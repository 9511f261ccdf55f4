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

/** Decodes whole lines together: for each by itself that would cost as much as parsing it. */
function decodeLines(lines: Buffer, onLine: (line: string) => void): void {
  for (const line of lines.toString('utf8').split('\n')) if (line !== '') onLine(line)
}
