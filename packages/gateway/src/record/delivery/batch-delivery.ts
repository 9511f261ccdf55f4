/**
 * Delivers a sealed batch: whole, where it gets through so, and in parts where it does not, each of them until it is taken.
 *
 * How a batch is cut is nowhere written down. The collector stores it under its own id once all parts are there, so after a lost
 * answer or a restart it may go whole, or cut otherwise, and counts once. A single event that does not get through even alone is kept
 * in the journal's quarantine, and the others go without it.
 */
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import type { BatchPart } from '@sallyport/contract/words'
import type { Journal, JournalBatch } from '@sallyport/journal'
import { backOffMs, pause } from '@sallyport/toolbox'
import type { Delivery } from '../../control-plane/batch-client.ts'
import type { Log } from '../../settings.ts'
import { BatchLines } from './batch-lines.ts'
import type { BatchPiece, BatchSender } from './batch-sender.ts'
import { WireSize } from './wire-size.ts'

const RETRY = { minMs: 100, maxMs: 1_000 }
/** Fewer bytes are not worth compressing. */
const COMPRESSED_FROM_BYTES = 16 * 1024
const compress = promisify(zstdCompress)
const COMPRESSION = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
}

export interface BatchDeliveryOptions {
  readonly sender: Pick<BatchSender, 'send' | 'takesCompressed'>
  readonly journal: Pick<Journal, 'quarantine'>
  readonly log: Log
}

/** What is sent of a batch: all of it, or the requests from `first` up to, but without, `end`. */
interface Cut {
  readonly first: number
  readonly end: number
  readonly isWhole: boolean
  /** Its only event does not get through. */
  readonly isLeftOut: boolean
}

export class BatchDelivery {
  readonly #options: BatchDeliveryOptions
  readonly #size = new WireSize()

  constructor(options: BatchDeliveryOptions) {
    this.#options = options
  }

  /** Batches of this size, as they are in the journal, are expected to get through whole. */
  get batchBytesMax(): number {
    return this.#size.batchBytesMax
  }

  /** Sends a batch until all of it is taken. Whether it was refused for good; undefined where it is to stop first. */
  async deliver(batch: JournalBatch, stop: AbortSignal): Promise<boolean | undefined> {
    const cuts = new Cuts(batch.events)
    let lines: BatchLines | undefined
    for (let attempt = 0; cuts.next && !stop.aborted; ) {
      const cut = cuts.next
      if (!cut.isWhole) lines ??= new BatchLines(batch.body)
      const { piece, delivery } = await this.#send(batch, cut, lines, stop)
      if (delivery.kind === 'accepted') {
        cuts.taken()
        attempt = 0
      } else if (delivery.kind === 'refused') {
        const { id, events } = batch
        const line = `the control plane set batch ${id} aside (${events} events): ${delivery.reason}`
        this.#options.log('error', line)
        return true
      } else if (delivery.kind !== 'too large' || !cuts.divide(piece)) {
        if (delivery.kind === 'parts missing') cuts.startOver()
        await pause(backOffMs(attempt, RETRY), stop)
        attempt += 1
      }
    }
    return cuts.next ? undefined : false
  }

  async #send(
    batch: JournalBatch,
    cut: Cut,
    lines: BatchLines | undefined,
    stop: AbortSignal,
  ): Promise<{ piece: BatchPiece; delivery: Delivery }> {
    const piece = await this.#pieceOf(batch, cut, lines)
    const size = piece.lines.length
    if (cut.end - cut.first > 1 && size > this.#size.linesBytesMax)
      return { piece, delivery: { kind: 'too large' } }
    if (cut.isLeftOut && lines) {
      const reason = 'whatever is between gateway and control plane does not let it through (413), even alone'
      try {
        const { journal } = this.#options
        await journal.quarantine.addEvent(batch.id, cut.first, lines.cut(cut.first, cut.end), reason)
      } catch (error) {
        return { piece, delivery: { kind: 'again', reason: String(error) } }
      }
    }
    const delivery = await this.#options.sender.send(piece, stop)
    if (delivery.kind === 'too large') this.#size.noteTooLarge(size)
    return { piece, delivery }
  }

  async #pieceOf(
    { id, events, body }: JournalBatch,
    cut: Cut,
    lines: BatchLines | undefined,
  ): Promise<BatchPiece> {
    const { first, end, isWhole, isLeftOut } = cut
    const bytes = isWhole || !lines ? body : lines.cut(first, isLeftOut ? first : end)
    const isCompressed =
      !isWhole || (this.#options.sender.takesCompressed && bytes.length >= COMPRESSED_FROM_BYTES)
    const sent = isCompressed ? await compress(bytes, COMPRESSION) : bytes
    this.#size.noteCompressed(bytes.length, sent.length)
    const part: BatchPart = { first, end, of: events }
    return {
      batchId: id,
      events: isLeftOut ? 0 : end - first,
      lines: sent,
      isCompressed,
      ...(!isWhole && { part }),
    }
  }
}

/** How a batch is cut, and how far it is sent. */
class Cuts {
  readonly #all: Cut[]
  #taken = 0

  constructor(events: number) {
    this.#all = [{ first: 0, end: events, isWhole: true, isLeftOut: false }]
  }

  get next(): Cut | undefined {
    return this.#all[this.#taken]
  }

  taken(): void {
    this.#taken += 1
  }

  startOver(): void {
    this.#taken = 0
  }

  /** Makes less of the next one; false where not even nothing of it gets through: then all of it is tried again. */
  divide({ isCompressed }: Pick<BatchPiece, 'isCompressed'>): boolean {
    const cut = this.next
    if (!cut) return false
    if (cut.isLeftOut) {
      this.#all[this.#taken] = { ...cut, isLeftOut: false }
      return false
    }
    const { first, end } = cut
    const part = { isWhole: false, isLeftOut: false }
    const middle = Math.ceil((first + end) / 2)
    const smaller: Cut[] =
      end - first > 1
        ? [
            { ...part, first, end: middle },
            { ...part, first: middle, end },
          ]
        : // As it is it may be larger than it need be.
          [{ ...part, first, end, isLeftOut: isCompressed }]
    this.#all.splice(this.#taken, 1, ...smaller)
    return true
  }
}
