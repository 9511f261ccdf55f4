/** `POST /gateway/lease`: a gateway asks whether what it serves is in force, and until when it may go on without asking. */
import {
  gatewayName,
  LEASE_CHALLENGE_CHARS,
  LEASE_PATH,
  type LeaseChallenge,
  type LeaseGrant,
  text,
} from '@sallyport/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { GatewayAccess } from '../gateway-access/gateway-access.ts'
import type { GatewayRegister } from './gateways.ts'

const challenge: z.ZodType<LeaseChallenge> = z.object({
  gatewayId: gatewayName,
  challenge: z
    .string()
    .regex(/^[\w-]*$/)
    .length(LEASE_CHALLENGE_CHARS),
  revision: z.int().min(0),
  version: text(64),
})

export interface LeaseRouteDependencies {
  readonly gateways: Pick<GatewayRegister, 'grant'>
  readonly access: GatewayAccess
}

/** Adds the route. It answers with an error where the database does not say which revision is in force. */
export function addLeaseRoute(app: FastifyInstance, { gateways, access }: LeaseRouteDependencies): void {
  const config = { operation: 'gatewayLease' }
  app.post(LEASE_PATH, { config, onRequest: access.require }, async (request, reply) => {
    const asked = challenge.safeParse(request.body)
    if (!asked.success) return reply.code(400).send()
    if (!access.mayActAs(request, asked.data.gatewayId)) return reply.code(403).send()
    const revision = await gateways.grant(asked.data)
    const isDue = access.callerOf(request)?.isDue ?? false
    const grant: LeaseGrant = {
      challenge: asked.data.challenge,
      revision,
      ...(isDue && { renewCredential: true }),
    }
    return reply.header('cache-control', 'no-store').send(grant)
  })
}
