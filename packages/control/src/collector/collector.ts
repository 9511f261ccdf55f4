/**
 * The collector: `POST /gateway/batches`. Answers 204 once a batch is stored, 400 when it can never be stored (it is
 * quarantined with its reason), 401 from nobody that it knows, 403 in another gateway's name, 409 to the last part of a batch of which others are missing, and 503
 * when the gateway should keep it for later.
 */
import {
  BATCH_FORMATS_HEADER,
  BATCHES_PATH,
  type BatchHeader,
  type BatchRefusal,
  COMPRESSED_BATCH_FORMAT,
  PARTS_MISSING_STATUS,
} from '@sallyport/contract'
import type { FastifyBaseLogger, FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { GatewayAccess } from '../gateway-access/gateway-access.ts'
import { type BatchParts, PartsMissing } from './batch-parts.ts'
import { type BatchReader, createBatchReader } from './batch-reader/batch-reader.ts'
import type { GatheredBatch } from './batch-reader/gathered-batch.ts'
import { BadBatch } from './batch-reader/read-batch.ts'
import type { Ingest } from './ingest.ts'

export interface CollectorDependencies {
  readonly ingest: Ingest
  readonly parts: BatchParts
  readonly access: Pick<GatewayAccess, 'require' | 'callerOf' | 'mayActAs' | 'servedBy'>
  /** Called with every header of a gateway that runs, at once: it is alive, what it runs, its keys and the health of its origins. */
  readonly reported: (header: BatchHeader) => void
  /** Reads batches, and is closed with the server; one of its own unless given. */
  readonly reader?: BatchReader
  /** Hears of batches that were not stored. */
  readonly notStored?: (result: 'quarantined' | 'later') => void
}

/** Says in the log that the thread which reads batches died. */
export const readerDied =
  (log: Pick<FastifyBaseLogger, 'error'>) =>
  (error: unknown): void =>
    log.error({ err: error }, 'the thread that reads batches died; another follows')

/** A batch in the name of a gateway that its sender is not. Nothing of it is kept. */
class ForeignName extends Error {}

/** Batches read or being stored at once; beyond that a gateway must come again, so that memory stays bounded. */
const BATCHES_AT_ONCE_MAX = 8
/** Of these, those of a gateway that has a credential of its own: one that is slow or hostile leaves room for the others. */
const BATCHES_OF_ONE_MAX = 4

/** The collector as a plugin of the control plane's server. */
export const collector =
  ({
    ingest,
    parts,
    access,
    reported,
    reader: given,
    notStored = () => undefined,
  }: CollectorDependencies): FastifyPluginAsync =>
  async (server: FastifyInstance) => {
    const reader = given ?? createBatchReader(readerDied(server.log))
    const underWay = createUnderWay()
    server.addHook('onReady', reader.start)
    server.addHook('onClose', reader.close)

    server.removeAllContentTypeParsers()
    server.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

    const config = { operation: 'gatewayBatches' }
    const guarded = { config, onRequest: access.require }
    server.post<{ Body: AsyncIterable<Buffer> }>(BATCHES_PATH, guarded, async (request, reply) => {
      const caller = access.callerOf(request)?.gatewayId
      if (!underWay.begin(caller)) {
        notStored('later')
        return reply.code(503).header('retry-after', '1').send()
      }
      const source = { organizations: access.servedBy(request), isEnrolled: caller !== undefined }
      let name = { gatewayId: '', batchId: '' }
      const isOwnName = (): boolean => access.mayActAs(request, name.gatewayId)
      const onHeader = (header: BatchHeader): void => {
        name = { gatewayId: header.gatewayId, batchId: header.batchId }
        if (isOwnName() && !header.isDrained) reported(header)
      }
      const store = async (batch: GatheredBatch): Promise<void> => {
        const [first] = batch.badLines
        if (first)
          request.log.error(
            { ...name, lines: batch.badLines.length, reason: first.reason },
            'lines of a traffic batch cannot be taken and are set aside',
          )
        // It may have been revoked while the batch arrived.
        if (!isOwnName()) throw new ForeignName()
        requireClock()
        const whole = await parts.keep(batch)
        if (whole === 'more to come') return
        if (whole === 'no part') await ingest.store(batch)
        else await reader.read(whole, source, () => undefined, store)
      }
      reply.header(BATCH_FORMATS_HEADER, COMPRESSED_BATCH_FORMAT)
      try {
        await reader.read(request.body, source, onHeader, store)
        return reply.code(204).send()
      } catch (error) {
        if (error instanceof ForeignName || (name.gatewayId !== '' && !isOwnName())) {
          request.log.error(name, 'a traffic batch came in the name of another gateway, and is not taken')
          return reply.code(403).send()
        }
        if (error instanceof BadBatch) {
          request.log.error({ reason: error.message }, 'a traffic batch was set aside')
          await ingest.quarantine(name, [error.badLine])
          notStored('quarantined')
          // By its name the gateway knows that it is the collector who refuses, and not somebody between them.
          const refusal: BatchRefusal = { batchId: name.batchId, reason: error.message }
          return reply.code(400).send(refusal)
        }
        if (error instanceof PartsMissing) return reply.code(PARTS_MISSING_STATUS).send()
        request.log.warn({ err: error }, 'a traffic batch was not stored; its gateway keeps it')
        notStored('later')
        return reply.code(503).header('retry-after', '1').send()
      } finally {
        underWay.end(caller)
      }
    })
  }

/** No request is dated earlier (`time` of the fields of the record). */
const CLOCK_MS_MIN = Date.UTC(2020, 0)

/**
 * Throws where this machine's clock was not set yet. By such a clock all that is recorded is dated ahead, and what is quarantined would be
 * deleted for its age once the clock is set.
 */
function requireClock(): void {
  const now = Date.now()
  if (now < CLOCK_MS_MIN)
    throw new Error(`the clock of this machine is wrong, it says ${new Date(now).toISOString()}: set it`)
}

/** Counts the batches under way, in all and of each gateway that has a credential of its own. */
function createUnderWay() {
  const ofGateways = new Map<string, number>()
  let all = 0
  return {
    /** Whether there is room for one more; if so it is counted until `end`. */
    begin: (gatewayId: string | undefined): boolean => {
      const ofOne = gatewayId === undefined ? 0 : (ofGateways.get(gatewayId) ?? 0)
      if (all >= BATCHES_AT_ONCE_MAX || ofOne >= BATCHES_OF_ONE_MAX) return false
      all += 1
      if (gatewayId !== undefined) ofGateways.set(gatewayId, ofOne + 1)
      return true
    },
    end: (gatewayId: string | undefined): void => {
      all -= 1
      if (gatewayId === undefined) return
      const left = (ofGateways.get(gatewayId) ?? 0) - 1
      if (left > 0) ofGateways.set(gatewayId, left)
      else ofGateways.delete(gatewayId)
    },
  }
}
