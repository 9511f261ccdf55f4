/** `POST /gateway/closures`: what an operator closed and opened at a gateway, for the installation's log (`closures.ts` of the contract). */
import {
  CLOSURE_ACTS_MAX,
  CLOSURE_SCOPES,
  CLOSURE_TEXT_CHARS_MAX,
  CLOSURES_PATH,
  type ClosureReport,
  EPOCH_MS_MAX,
  gatewayName,
  text,
} from '@sallyport/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Database } from '../database/database.ts'
import { tooManyRequests } from '../errors.ts'
import type { GatewayAccess } from '../gateway-access/gateway-access.ts'
import { changesBy, INSTALLATION_LOG } from './installation-log.ts'
import { countClosureActs, insertClosureAct } from './store.ts'

/** More than any operator does by hand. A gateway of one organization does not fill the log of all. */
const DAY_ACTS_MAX = 1_000
const RETRY_SECONDS = 3_600

const words = text(CLOSURE_TEXT_CHARS_MAX).min(1)
const report: z.ZodType<ClosureReport> = z.object({
  gatewayId: gatewayName,
  acts: z
    .array(
      z.object({
        id: z.uuid(),
        act: z.enum(['close', 'open']),
        scope: z.object({ kind: z.enum(CLOSURE_SCOPES), id: text(CLOSURE_TEXT_CHARS_MAX) }),
        time: z.int().min(0).max(EPOCH_MS_MAX),
        by: words,
        reason: words,
      }),
    )
    .max(CLOSURE_ACTS_MAX),
})

export interface ClosuresRouteDependencies {
  readonly database: Database
  readonly access: GatewayAccess
}

/** Adds the route. It answers 204 once every act is recorded, also where some were before, and 429 to a gateway that reports too many. */
export function addClosuresRoute(
  app: FastifyInstance,
  { database, access }: ClosuresRouteDependencies,
): void {
  const config = { operation: 'gatewayClosures' }
  app.post(CLOSURES_PATH, { config, onRequest: access.require }, async (request, reply) => {
    const read = report.safeParse(request.body)
    if (!read.success) return reply.code(400).send()
    const { gatewayId, acts } = read.data
    if (!access.mayActAs(request, gatewayId)) return reply.code(403).send()
    const recorded = await database.read(INSTALLATION_LOG, (tx) => countClosureActs(tx, gatewayId))
    if (recorded >= DAY_ACTS_MAX) throw tooManyRequests(RETRY_SECONDS)
    for (const { id, act, scope, time, by, reason } of acts)
      await changesBy(
        database,
        by,
      )(async (tx) => {
        if (!(await insertClosureAct(tx, id, gatewayId))) return
        const after = { scope, reason, at: new Date(time).toISOString() }
        tx.record({
          action: `gateway.${act}`,
          target: { kind: 'gateway', id: gatewayId },
          before: null,
          after,
        })
      })
    return reply.code(204).send()
  })
}
