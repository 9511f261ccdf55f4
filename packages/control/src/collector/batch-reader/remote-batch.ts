/** A batch in the thread that reads it, as it is seen from the other side of its port. */
import type { MessagePort } from 'node:worker_threads'
import type { BatchHeader } from '@sallyport/contract'
import type { GatheredBatch } from './gathered-batch.ts'
import { BadBatch } from './read-batch.ts'
import type { FromReader, Question, ToReader } from './reader-messages.ts'

type Answer = Extract<FromReader, { kind: 'rows' | 'observations' | 'events' }>

/** Bytes of the body that are gathered before they go to the thread. */
const PIECE_BYTES = 256 * 1024

export class RemoteBatch {
  /** Resolves once all of the batch was read. Rejects with `BadBatch` when it can never be stored. */
  readonly read: Promise<GatheredBatch>
  readonly #port: MessagePort
  readonly #questions: PromiseWithResolvers<Answer>[] = []
  /** Pieces that the thread has asked for and not got. */
  #wanted = 0
  #isOver = false
  #isGone = false
  #wake: () => void = () => undefined

  constructor(port: MessagePort, onHeader: (header: BatchHeader) => void) {
    this.#port = port
    const outcome = Promise.withResolvers<GatheredBatch>()
    this.read = outcome.promise
    // It may be rejected while the body still comes, and nobody waits for it yet.
    this.read.catch(() => undefined)
    port.on('message', (message: FromReader) => {
      if (message.kind === 'more') this.#wanted += 1
      else if (message.kind === 'header') onHeader(message.header)
      else if (isAnswer(message)) this.#questions.shift()?.resolve(message)
      else {
        this.#isOver = true
        if (message.kind === 'read') outcome.resolve(this.#gathered(message))
        else
          outcome.reject(message.kind === 'bad' ? new BadBatch(message.badLine) : new Error(message.reason))
      }
      this.#wake()
    })
    port.once('close', () => {
      outcome.reject(gone())
      for (const { reject } of this.#questions) reject(gone())
      this.#isOver = true
      this.#isGone = true
      this.#wake()
    })
  }

  /** Sends the body, a piece each time that the thread asks for one. Once the batch is refused the rest is dropped. */
  async send(body: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunks of inPieces(body)) {
      while (this.#wanted === 0 && !this.#isOver)
        await new Promise<void>((wake) => {
          this.#wake = wake
        })
      this.#wanted -= 1
      if (!this.#isOver)
        this.#post(
          { kind: 'piece', chunks },
          chunks.map(({ buffer }) => buffer),
        )
    }
    this.#post({ kind: 'end' })
  }

  #gathered({ kind: _, ...batch }: FromReader & { kind: 'read' }): GatheredBatch {
    return {
      ...batch,
      rows: async (span, retentionDays) => {
        const { rows } = await this.#ask({ kind: 'rows', span, retentionDays })
        return Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength)
      },
      observations: async (retentionDays) => {
        const { rows } = await this.#ask({ kind: 'observations', retentionDays })
        return Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength)
      },
      events: async (span, orgIds) => (await this.#ask({ kind: 'events', span, orgIds })).events,
    }
  }

  async #ask<Kind extends Question['kind']>(
    question: Question & { readonly kind: Kind },
  ): Promise<Answer & { readonly kind: Kind }> {
    if (this.#isGone) throw gone()
    const asked = Promise.withResolvers<Answer>()
    this.#questions.push(asked)
    this.#post(question)
    // Answers come in the order of the questions, each of the kind that was asked for.
    return (await asked.promise) as Answer & { readonly kind: Kind }
  }

  #post(message: ToReader, given: readonly ArrayBuffer[] = []): void {
    this.#port.postMessage(message, given)
  }
}

const isAnswer = (message: FromReader): message is Answer =>
  message.kind === 'rows' || message.kind === 'observations' || message.kind === 'events'

const gone = (): Error => new Error('the thread that reads batches has ended')

/** The body's chunks, several at a time, each in memory of its own, which can be transferred. */
async function* inPieces(body: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array<ArrayBuffer>[]> {
  let chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(withMemoryOfItsOwn(chunk))
    bytes += chunk.length
    if (bytes < PIECE_BYTES) continue
    yield chunks
    chunks = []
    bytes = 0
  }
  if (bytes > 0) yield chunks
}

/**
 * What the HTTP parser reads has mostly memory of its own. It is transferred as it is: what stayed behind would be reason
 * for a collection of the whole heap with every batch, for which the API would wait.
 */
function withMemoryOfItsOwn(chunk: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = chunk
  return buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength
    ? new Uint8Array(buffer)
    : Uint8Array.from(chunk)
}
