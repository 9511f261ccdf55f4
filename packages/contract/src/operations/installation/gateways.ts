/** The gateways: what each runs of an organization's configuration, and until when it may serve its sites. */
import { z } from 'zod'
import { pageOf, pageQuery, text } from '../../fields.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'

const GATEWAY_ID_CHARS_MAX = 64

/** `serving`: it is heard of. `silent`: it is not, and may serve all the same. `over`: its lease has run out, it serves nothing. */
export const GATEWAY_STATES = ['serving', 'silent', 'over'] as const

/** A gateway as one organization sees it. */
export const gateway = z.object({
  id: z.string(),
  /** Of its program. */
  version: z.string(),
  state: z.enum(GATEWAY_STATES),
  lastSeen: z.iso.datetime(),
  /** Of the configuration that it runs. */
  revision: z.int(),
  /** By how many revisions of the installation that is behind. */
  lag: z.int(),
  /** Whether it runs the last change that concerns the organization. */
  isConfirmed: z.boolean(),
  /** Until when it may serve the organization's sites if it hears nothing from now on; null for ever. */
  mayServeUntil: z.iso.datetime().nullable(),
  /** How it finds the origins of the organization's sites; those that it has not tried are in none of these. */
  origins: z.object({ healthy: z.int(), failing: z.int(), open: z.int() }),
})
export type ListedGateway = z.infer<typeof gateway>

const exampleGateway = {
  id: EXAMPLE.gatewayId,
  version: '1.0.0',
  state: 'serving',
  lastSeen: EXAMPLE.time,
  revision: 42,
  lag: 0,
  isConfirmed: true,
  mayServeUntil: EXAMPLE.later,
  origins: { healthy: 3, failing: 0, open: 0 },
} satisfies ListedGateway

export const gatewayOperations = declareOperations({
  gatewaysList: {
    path: '/api/Gateways',
    summary: 'List the gateways, and until when each may serve',
    description:
      'Every gateway that may serve the sites of the organization, or did within its lease, by name. `isConfirmed` says whether it runs the last change of the organization; `mayServeUntil`, until when it may serve by what it runs if nothing reaches it from now on, null for ever. A site that is closed may be served until then by one that is `silent` and has not confirmed.',
    permission: 'gateways:read',
    query: z.object(pageQuery),
    response: pageOf(gateway),
    examples: { response: { items: [exampleGateway], next: null } },
  },
  gatewaysForget: {
    method: 'POST',
    path: '/api/Gateways/forget',
    summary: 'Wait no longer for a gateway that is gone',
    description:
      'The organization says that a gateway which is not heard of does not run any more: `isDeploymentProgress` does not wait for it, and it is not listed until it is heard of again. Nothing is sent to it: if it still runs, it may serve until `mayServeUntil`. One that is heard of is a 409.',
    permission: 'gateways:forget',
    body: z.object({ id: text(GATEWAY_ID_CHARS_MAX) }),
    status: 204,
    errors: ['not_found', 'conflict'],
    examples: { body: { id: EXAMPLE.gatewayId } },
  },
})
