/**
 * Batches that come in parts, because something before the collector does not let them through whole.
 *
 * A part is kept as it came until the last one is there; then the whole batch is read and stored under its own name, as if it had come
 * so. That is why it counts once: also where it was stored whole before and its gateway never heard so, where some parts came
 * twice, or cut otherwise, or by another control process. What nobody asks for any more is deleted after a week: a gateway that comes
 * later finds parts missing and sends them all again.
 */
import { zstdCompressSync } from 'node:zlib'
import { type BatchHeader, COMPRESSED_BATCH_FORMAT } from '@sallyport/contract'
import type { TrafficStore } from '../traffic-store/connection.ts'
import { insertPart, type KeptPart, readPartLines, readParts } from './batch-parts-store.ts'
import type { GatheredBatch } from './batch-reader/gathered-batch.ts'

/** The last part came, and not all before it are there. */
export class PartsMissing extends Error {}

export interface BatchParts {
  /**
   * Keeps a part. Resolves with the body of the whole batch where it was the last one, its chunks the caller's; rejects with
   * `PartsMissing` where others are not there, and when the store is away.
   */
  keep(
    batch: Pick<GatheredBatch, 'header' | 'compressedLines'>,
  ): Promise<AsyncIterable<Buffer> | 'more to come' | 'no part'>
}

export function createBatchParts(store: Pick<TrafficStore, 'query' | 'insert'>): BatchParts {
  async function* wholeBody(header: BatchHeader, parts: readonly KeptPart[]): AsyncGenerator<Buffer> {
    const { part: _, ...rest } = header
    const events = parts.reduce((sum, part) => sum + part.events, 0)
    yield Buffer.from(`${JSON.stringify({ ...rest, format: COMPRESSED_BATCH_FORMAT, events })}\n`)
    for (const part of parts) {
      const lines = await readPartLines(store, header, part)
      if (!lines) throw new PartsMissing()
      yield lines
      // The last line of a part need not have an end of its own.
      yield zstdCompressSync('\n')
    }
  }
  return {
    keep: async ({ header, compressedLines }) => {
      const { part } = header
      if (!part || !compressedLines) return 'no part'
      await insertPart(store, header, { ...part, events: header.events }, compressedLines)
      if (part.end < part.of) return 'more to come'
      const whole = joinParts(await readParts(store, header), part.of)
      if (!whole) throw new PartsMissing()
      return wholeBody(header, whole)
    },
  }
}

/**
 * Those of the parts that make up the whole, of so many events, in order; undefined where some are missing. Parts may overlap, where
 * a batch was cut in different ways: one with a hole in it is taken only where no other begins there.
 */
export function joinParts(parts: readonly KeptPart[], of: number): KeptPart[] | undefined {
  /** From a place on, the part that leads to the end. */
  const onward = new Map<number, KeptPart>()
  const fromTheEnd = parts.toSorted((one, other) => other.first - one.first || holesIn(other) - holesIn(one))
  for (const part of fromTheEnd)
    if (part.first < part.end && (part.end === of || onward.has(part.end))) onward.set(part.first, part)
  const whole: KeptPart[] = []
  for (let at = 0; at < of; ) {
    const next = onward.get(at)
    if (!next) return undefined
    whole.push(next)
    at = next.end
  }
  return whole
}

const holesIn = ({ first, end, events }: KeptPart): number => end - first - events
