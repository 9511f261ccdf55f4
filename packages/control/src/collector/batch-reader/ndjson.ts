/** Reads newline-delimited text from a stream within bounds. */

/** The stream held more than it may. */
export class TooMuchInput extends Error {}

const NEWLINE = 0x0a

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
  let rest: Buffer[] = []
  for await (const chunk of stream) {
    total += chunk.length
    if (total > bytesMax) throw new TooMuchInput(`more than ${bytesMax} bytes`)
    const end = chunk.lastIndexOf(NEWLINE) + 1
    if (end > 0) {
      decodeLines([...rest, chunk.subarray(0, end)], onLine)
      rest = []
    }
    if (end < chunk.length) rest.push(chunk.subarray(end))
  }
  decodeLines(rest, onLine)
}

/** Decodes whole lines together: for each by itself that would cost as much as parsing it. */
function decodeLines(parts: readonly Buffer[], onLine: (line: string) => void): void {
  const [first = Buffer.alloc(0), ...more] = parts
  const bytes = more.length === 0 ? first : Buffer.concat(parts)
  for (const line of bytes.toString('utf8').split('\n')) if (line !== '') onLine(line)
}
