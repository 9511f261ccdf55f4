/** `POST /gateway/enrolment` and `POST /gateway/credential` (`enrolment.ts` of the contract). */
import { createHash } from 'node:crypto'
import {
  type CredentialRenewal,
  ENROLMENT_PATH,
  ENROLMENT_TOKEN_PREFIX,
  type Enrolment,
  type EnrolmentRefusal,
  GATEWAY_ID_FORM,
  isSecretKey,
  RENEWAL_PATH,
} from '@sallyport/contract'
import { networkOf } from '@sallyport/policy'
import { Semaphore } from '@sallyport/toolbox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Database } from '../database/database.ts'
import { ProblemError } from '../errors.ts'
import { createAttemptCounters } from '../identity/sign-in/store-attempts.ts'
import { enrollGateway, renewCredential } from './enrolment.ts'
import type { GatewayAccess } from './gateway-access.ts'

/** Attempts of one network that may fail, in the time; and renewals that one gateway may ask for, which tries once a minute at most. */
const ATTEMPTS_MAX = 20
const ATTEMPTS_WINDOW_MS = 15 * 60_000
/** Of all networks. Strangers' attempts must not have the connections to the database that leases need. */
const ATTEMPTS_AT_ONCE = 4
const ATTEMPTS_WAITING_MAX = 64

const named = {
  gatewayId: z.string().regex(GATEWAY_ID_FORM),
  credentialHash: z.string().regex(/^[0-9a-f]{64}$/),
}
const enrolment: z.ZodType<Enrolment> = z.object({
  ...named,
  token: z.string().refine((text) => isSecretKey(ENROLMENT_TOKEN_PREFIX, text)),
})
const renewal: z.ZodType<CredentialRenewal> = z.object(named)

export interface EnrolmentRouteDependencies {
  readonly database: Database
  readonly access: GatewayAccess
}

/**
 * Adds the routes. An enrolment is 403 with the reason where it may not be, 429 where a network fails too often, and 503 where too many
 * are tried at once. A renewal is 429 where the gateway asks too often: each new one is a line of the installation's log, also where a
 * gateway asks that was taken over.
 */
export function addEnrolmentRoutes(
  app: FastifyInstance,
  { database, access }: EnrolmentRouteDependencies,
): void {
  const attempts = createAttemptCounters(database)
  const atOnce = new Semaphore(ATTEMPTS_AT_ONCE, {
    waitingMax: ATTEMPTS_WAITING_MAX,
    refusal: () => new ProblemError('unavailable'),
  })
  /** Why it may not be; null where the gateway is enrolled. */
  const attempt = async (
    address: string,
    asked: Enrolment,
  ): Promise<EnrolmentRefusal | 'too many' | null> => {
    const counters = [counterOf('enrolment', networkOf(address))]
    const [count = 0] = await attempts.add(counters, ATTEMPTS_WINDOW_MS)
    if (count > ATTEMPTS_MAX) return 'too many'
    const refusal = await enrollGateway(database, asked)
    if (!refusal) await attempts.giveBack(counters)
    return refusal
  }
  app.post(ENROLMENT_PATH, { config: { operation: 'gatewayEnrolment' } }, async (request, reply) => {
    const asked = enrolment.safeParse(request.body)
    if (!asked.success) return reply.code(400).send()
    const refusal = await atOnce.run(() => attempt(request.ip, asked.data))
    if (refusal === 'too many') return refuseMore(reply)
    if (refusal) {
      request.log.warn({ gatewayId: asked.data.gatewayId, refusal }, 'a gateway was not enrolled')
      return reply.code(403).send({ reason: refusal })
    }
    await access.refresh()
    return reply.code(204).send()
  })

  app.post(
    RENEWAL_PATH,
    { config: { operation: 'gatewayCredential' }, onRequest: access.require },
    async (request, reply) => {
      const asked = renewal.safeParse(request.body)
      if (!asked.success) return reply.code(400).send()
      const caller = access.callerOf(request)
      if (!caller || !access.mayActAs(request, asked.data.gatewayId)) return reply.code(403).send()
      const [count = 0] = await attempts.add([counterOf('renewal', asked.data.gatewayId)], ATTEMPTS_WINDOW_MS)
      if (count > ATTEMPTS_MAX) return refuseMore(reply)
      const isRenewed = await renewCredential(database, asked.data, caller.hash)
      return reply.code(isRenewed ? 204 : 403).send()
    },
  )
}

const refuseMore = (reply: FastifyReply): FastifyReply =>
  reply
    .code(429)
    .header('retry-after', String(ATTEMPTS_WINDOW_MS / 1_000))
    .send()

/** Hashed, so that the table does not list who tries from where. */
const counterOf = (what: 'enrolment' | 'renewal', who: string): string =>
  createHash('sha256').update(`${what}:${who}`).digest('base64url')
