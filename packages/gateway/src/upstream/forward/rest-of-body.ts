/** What follows the beginning of a body, shown to its inspection in segments, one after another. */
import type { BodyInspection, Refusal } from '../../exchange/exchange.ts'

const SEGMENT_BYTES = 64 * 1024
/** Of a body that is forwarded meanwhile so much is kept at most; what comes faster than it is judged is not seen. */
const BACKLOG_BYTES_MAX = 2 * 1024 * 1024

export class RestOfBody {
  readonly #inspection: BodyInspection
  #parts: Buffer[] = []
  #bytes = 0
  /** Bytes of segments that are not judged yet. */
  #backlog = 0
  #judged: Promise<Refusal | null>

  /** @param beginning resolves when the beginning is judged */
  constructor(inspection: BodyInspection, beginning: Promise<Refusal | null>) {
    this.#inspection = inspection
    this.#judged = beginning
  }

  /** True where a segment is full. */
  get isFull(): boolean {
    return this.#bytes >= SEGMENT_BYTES
  }
  /** True where nothing waits to be judged. */
  get isEmpty(): boolean {
    return this.#bytes === 0
  }
  /** Resolves when all that was given to `judge` is judged. */
  get judged(): Promise<Refusal | null> {
    return this.#judged
  }

  /** Adds a chunk, which must stay as it is. */
  add(chunk: Buffer): void {
    if (chunk.length === 0) return
    this.#parts.push(chunk)
    this.#bytes += chunk.length
  }

  /** Has what was added judged, after all before it, and returns it. */
  judge(): readonly Buffer[] {
    const parts = this.#parts
    const bytes = this.#bytes
    this.#parts = []
    this.#bytes = 0
    const isSeen = this.#backlog + bytes <= BACKLOG_BYTES_MAX
    const segment = isSeen ? Buffer.concat(parts) : null
    if (isSeen) this.#backlog += bytes
    this.#judged = this.#judged.then(async () => {
      const refusal = await this.#inspection.inspectRest(segment)
      if (isSeen) this.#backlog -= bytes
      return refusal
    })
    return parts
  }
}
