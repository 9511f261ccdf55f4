/** Reads newline-delimited text from a stream, a line at a time, within bounds. */

/** The stream held more than it may. */
export class TooMuchInput extends Error {}

const NEWLINE = 0x0a

/**
 * Yields the lines of a byte stream as text, without their newline and without empty lines. Throws `TooMuchInput`
 * as soon as more than `bytesMax` bytes have come. Memory: the longest line.
 */
export async function* readLines(stream: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<string> {
  let total = 0
  let rest: Buffer[] = []
  for await (const chunk of stream) {
    total += chunk.length
    if (total > bytesMax) throw new TooMuchInput(`more than ${bytesMax} bytes`)
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = textOf(rest, chunk.subarray(start, end))
      rest = []
      start = end + 1
      if (line.length > 0) yield line
    }
    if (start < chunk.length) rest.push(chunk.subarray(start))
  }
  const line = textOf(rest, Buffer.alloc(0))
  if (line.length > 0) yield line
}

function textOf(parts: readonly Buffer[], last: Buffer): string {
  return parts.length === 0 ? last.toString('utf8') : Buffer.concat([...parts, last]).toString('utf8')
}
