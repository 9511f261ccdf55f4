/** The thread that reads batches: parses, checks and gathers their requests, and makes rows of them for the store. */
import { constants, setPriority } from 'node:os'
import { Readable } from 'node:stream'
import { parentPort } from 'node:worker_threads'
import { RequestBlock } from '../../traffic-store/request-block.ts'
import { BatchObservations } from '../batch-observations.ts'
import { BadBatch, readBatch } from './read-batch.ts'
import type { FromReader, NewBatch, Question, ToReader } from './reader-messages.ts'

/** Pieces of one batch that wait to be read; no more are asked for. */
const WAITING_PIECES_MAX = 2

// Where both want a core, the API goes first. On Linux a thread has a priority of its own; elsewhere this would be the process's.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
parentPort?.on('message', (batch: NewBatch) => void serve(batch))
parentPort?.postMessage('started')

/** Reads the batch that comes through the port, and answers questions about it until the port is closed. */
async function serve({ port, source }: NewBatch): Promise<void> {
  const post = (message: FromReader, given: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, given)
  const block = new RequestBlock()
  const observations = new BatchObservations()
  let firstTime = Number.POSITIVE_INFINITY
  const body = new Readable({
    objectMode: true,
    highWaterMark: WAITING_PIECES_MAX,
    read: () => post({ kind: 'more' }),
  })
  port.on('message', (message: ToReader) => {
    if (message.kind === 'piece') for (const { buffer } of message.chunks) body.push(Buffer.from(buffer))
    else if (message.kind === 'end') body.push(null)
    else answer(message, { block, observations }, post)
  })
  port.once('close', () => body.destroy())
  try {
    const batch = await readBatch(
      body,
      source,
      (header) => post({ kind: 'header', header }),
      (sender, request) => {
        block.add(sender, request)
        observations.add(sender, request)
        firstTime = Math.min(firstTime, request.time)
      },
    )
    post({ kind: 'read', ...batch, count: block.count, firstTime, orgIds: block.orgIds })
  } catch (error) {
    post(
      error instanceof BadBatch
        ? { kind: 'bad', badLine: error.badLine }
        : { kind: 'failed', reason: String(error) },
    )
  }
}

function answer(
  question: Question,
  { block, observations }: { readonly block: RequestBlock; readonly observations: BatchObservations },
  post: (message: FromReader, given?: readonly ArrayBuffer[]) => void,
): void {
  if (question.kind === 'observations') {
    const rows = observations.block(question.retentionDays)
    post({ kind: 'observations', rows }, [rows.buffer])
    return
  }
  const { first, end } = question.span
  if (question.kind === 'events') post({ kind: 'events', events: block.events(question.orgIds, first, end) })
  else {
    const rows = block.rows(question.retentionDays, first, end)
    post({ kind: 'rows', rows }, [rows.buffer])
  }
}
