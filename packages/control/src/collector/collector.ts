/**
 * The collector: `POST /gateway/batches`. Answers 204 once a batch is stored, 400 when it can never be stored (it is
 * quarantined with its reason), 401 without the gateway token, and 503 when the gateway should keep it for later.
 */
import { BATCHES_PATH, type BatchHeader, type BatchRefusal } from '@sallyport/contract'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { requireGateway } from '../http/gateway-token.ts'
import { createBatchReader } from './batch-reader/batch-reader.ts'
import { BadBatch } from './batch-reader/read-batch.ts'
import type { Ingest } from './ingest.ts'

export interface CollectorDependencies {
  readonly ingest: Ingest
  readonly gatewayToken: string
  /** Called with every header, at once: which gateway is alive, what it runs, its keys and the health of its origins. */
  readonly reported: (header: BatchHeader) => void
  /** Hears of batches that were not stored. */
  readonly notStored?: (result: 'quarantined' | 'later') => void
}

/** Batches read or being stored at once; beyond that a gateway must come again, so that memory stays bounded. */
const BATCHES_AT_ONCE_MAX = 8

/** The collector as a plugin of the control plane's server. */
export const collector =
  ({
    ingest,
    gatewayToken,
    reported,
    notStored = () => undefined,
  }: CollectorDependencies): FastifyPluginAsync =>
  async (server: FastifyInstance) => {
    const reader = createBatchReader((error) =>
      server.log.error({ err: error }, 'the thread that reads batches died; another follows'),
    )
    let underWay = 0
    server.addHook('onReady', reader.start)
    server.addHook('onClose', reader.close)

    server.removeAllContentTypeParsers()
    server.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

    const config = { operation: 'gatewayBatches' }
    const guarded = { config, onRequest: requireGateway(gatewayToken) }
    server.post<{ Body: AsyncIterable<Buffer> }>(BATCHES_PATH, guarded, async (request, reply) => {
      if (underWay >= BATCHES_AT_ONCE_MAX) {
        notStored('later')
        return reply.code(503).header('retry-after', '1').send()
      }
      underWay += 1
      let name = { gatewayId: '', batchId: '' }
      const onHeader = (header: BatchHeader): void => {
        name = { gatewayId: header.gatewayId, batchId: header.batchId }
        reported(header)
      }
      try {
        await reader.read(request.body, onHeader, (batch) => {
          const [first] = batch.badLines
          if (first)
            request.log.error(
              { ...name, lines: batch.badLines.length, reason: first.reason },
              'lines of a traffic batch cannot be taken and are set aside',
            )
          return ingest.store(batch)
        })
        return reply.code(204).send()
      } catch (error) {
        if (error instanceof BadBatch) {
          request.log.error({ reason: error.message }, 'a traffic batch was set aside')
          await ingest.quarantine(name, [error.badLine])
          notStored('quarantined')
          // By its name the gateway knows that it is the collector who refuses, and not somebody between them.
          const refusal: BatchRefusal = { batchId: name.batchId, reason: error.message }
          return reply.code(400).send(refusal)
        }
        request.log.warn({ err: error }, 'a traffic batch was not stored; its gateway keeps it')
        notStored('later')
        return reply.code(503).header('retry-after', '1').send()
      } finally {
        underWay -= 1
      }
    })
  }
