/** The lines of a batch, of which any requests can be taken out by themselves, with the senders that they name. */

const LINE_FEED = 0x0a
const REQUEST_START = '['.charCodeAt(0)
const DECLARATION_START = '{"sender":'.length

/** Where a line lies, with its line feed. */
interface Line {
  readonly start: number
  readonly end: number
}

export class BatchLines {
  readonly #body: Buffer
  readonly #requests: (Line & { readonly sender: Line | undefined })[] = []

  /** @param body lines as they are in a batch: each sender is declared before the first request that names it. */
  constructor(body: Buffer) {
    this.#body = body
    const senders = new Map<number, Line>()
    for (let start = 0; start < body.length; ) {
      const feed = body.indexOf(LINE_FEED, start)
      const line = { start, end: feed === -1 ? body.length : feed + 1 }
      if (body[start] === REQUEST_START)
        this.#requests.push({ ...line, sender: senders.get(readNumber(body, start + 1)) })
      else senders.set(readNumber(body, start + DECLARATION_START), line)
      start = line.end
    }
  }

  /** The lines of the requests from `first` up to, but without, `end`. */
  cut(first: number, end: number): Buffer {
    const declared = new Set<Line>()
    const pieces: Buffer[] = []
    for (const { sender, ...line } of this.#requests.slice(first, end)) {
      if (sender && !declared.has(sender)) {
        declared.add(sender)
        pieces.push(this.#body.subarray(sender.start, sender.end))
      }
      pieces.push(this.#body.subarray(line.start, line.end))
    }
    return Buffer.concat(pieces)
  }
}

/** The decimal digits at a place. */
function readNumber(bytes: Buffer, at: number): number {
  let number = 0
  for (let digit = (bytes[at] ?? 0) - 0x30; digit >= 0 && digit <= 9; digit = (bytes[at] ?? 0) - 0x30) {
    number = number * 10 + digit
    at += 1
  }
  return number
}
