/**
 * `POST /gateway/invitations`: a gateway asks on behalf of a browser that accepts an invitation. An invitation is
 * used up here, in one transaction with its entry in the audit log, so that of two browsers at two gateways one gets in.
 */
import {
  type AcceptedInvitation,
  gatewayName,
  INVITATION_ACCEPTANCE_PATH,
  type InvitationAcceptance,
} from '@sallyport/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Database } from '../../database/database.ts'
import type { GatewayAccess } from '../../gateway-access/gateway-access.ts'
import { isServedIn } from '../../gateway-access/gateway-scope.ts'
import * as store from './store.ts'

export interface InvitationRouteDependencies {
  readonly database: Database
  readonly access: GatewayAccess
}

const body: z.ZodType<InvitationAcceptance> = z.object({
  gatewayId: gatewayName,
  tokenHash: z.string().regex(/^[0-9a-f]{64}$/),
  attempt: z.string().regex(/^[\w-]{22}$/),
  requestId: z.uuid(),
  keepResearcherId: z.union([z.literal(''), z.uuid()]),
})

/** Adds the route. 404 where the invitation is unknown, lapsed or used; 409 where it is another's than the one to be kept. */
export function addInvitationRoute(
  app: FastifyInstance,
  { database, access }: InvitationRouteDependencies,
): void {
  app.post(
    INVITATION_ACCEPTANCE_PATH,
    { config: { operation: 'gatewayInvitations' }, onRequest: access.require },
    async (request, reply) => {
      const asked = body.safeParse(request.body)
      if (!asked.success) return reply.code(400).send()
      if (!access.mayActAs(request, asked.data.gatewayId)) return reply.code(403).send()
      const { keepResearcherId, tokenHash } = asked.data
      const found = await database.readInstallation((tx) => store.findInvitation(tx, tokenHash))
      if (!found || !isServedIn(access.servedBy(request), found.org_id)) return reply.code(404).send()
      if (keepResearcherId !== '' && keepResearcherId !== found.researcher_id) return reply.code(409).send()
      const accepted = await useUp(database, found.org_id, found.researcher_id, asked.data)
      return accepted ? reply.header('cache-control', 'no-store').send(accepted) : reply.code(404).send()
    },
  )
}

/** Locks the researcher first, as every other change of a researcher does, so that ending sessions ends this or is before it. */
async function useUp(
  database: Database,
  orgId: string,
  researcherId: string,
  acceptance: InvitationAcceptance,
): Promise<AcceptedInvitation | null> {
  const researcher = await database.read(orgId, (tx) => store.findResearcher(tx, orgId, researcherId))
  if (!researcher) return null
  const actor = { kind: 'researcher', id: researcherId, email: researcher.email } as const
  const { requestId, gatewayId } = acceptance
  return database.change({ orgId, actor, requestId }, async (tx): Promise<AcceptedInvitation | null> => {
    const row = await store.lockResearcher(tx, orgId, researcherId)
    if (!row) return null
    if (await store.acceptInvitation(tx, orgId, acceptance))
      tx.record({
        action: 'researcher.acceptInvitation',
        target: { kind: 'hacker', id: researcherId },
        before: null,
        after: { gatewayId },
      })
    else if (!(await store.isAcceptedBy(tx, orgId, acceptance))) return null
    return { researcherId, orgId, sessionGeneration: row.session_generation }
  })
}
