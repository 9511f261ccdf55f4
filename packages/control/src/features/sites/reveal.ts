/**
 * `POST /gateway/reveal`: a gateway asks for the credentials of a site on behalf of a researcher whom it has admitted
 * there. They are sealed under a key that only the control plane has, so they are no part of the snapshot; each reveal
 * is an entry of the organization's audit log.
 */
import {
  type CredentialsReveal,
  gatewayName,
  REVEAL_PATH,
  type ResearcherPageCredentials,
} from '@sallyport/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Database } from '../../database/database.ts'
import type { GatewayAccess } from '../../gateway-access/gateway-access.ts'
import { isServedIn } from '../../gateway-access/gateway-scope.ts'
import type { Cipher } from '../../secrets/cipher.ts'
import { SITE_CREDENTIALS } from '../../secrets/sealed-columns.ts'
import { findRevealed } from './store.ts'

export interface RevealDependencies {
  readonly database: Database
  readonly cipher: Cipher
  readonly access: GatewayAccess
}

const ID = z.uuid()
const body: z.ZodType<CredentialsReveal> = z.object({
  gatewayId: gatewayName,
  siteId: ID,
  researcherId: ID,
  requestId: ID,
})

/** Adds the route. 404 where the site has no credentials, or the researcher is not of its organization. */
export function addRevealRoute(app: FastifyInstance, { database, cipher, access }: RevealDependencies): void {
  const config = { operation: 'gatewayReveal' }
  app.post(REVEAL_PATH, { config, onRequest: access.require }, async (request, reply) => {
    const asked = body.safeParse(request.body)
    if (!asked.success) return reply.code(400).send()
    if (!access.mayActAs(request, asked.data.gatewayId)) return reply.code(403).send()
    const { siteId, researcherId, requestId } = asked.data
    const found = await database.readInstallation((tx) => findRevealed(tx, siteId, researcherId))
    if (!found || found.credentials === '') return reply.code(404).send()
    const { org_id: orgId, email } = found
    if (!isServedIn(access.servedBy(request), orgId)) return reply.code(404).send()
    const actor = { kind: 'researcher', id: researcherId, email } as const
    await database.change({ orgId, actor, requestId }, async (tx) =>
      tx.record({
        action: 'site.credentials.reveal',
        target: { kind: 'site', id: siteId },
        before: null,
        after: null,
      }),
    )
    const credentials = cipher.decrypt(found.credentials, SITE_CREDENTIALS.placeOf(orgId, siteId))
    return reply.header('cache-control', 'no-store').send({ credentials } satisfies ResearcherPageCredentials)
  })
}
