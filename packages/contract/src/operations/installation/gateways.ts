/** The gateways: what each runs of an organization's configuration, and until when it may serve its sites. */
import { z } from 'zod'
import { pageOf, pageQuery, text } from '../../fields.ts'
import { ENROLMENT_TOKEN_MINUTES, GATEWAY_ID_FORM } from '../../snapshot/enrolment.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'

const GATEWAY_ID_CHARS_MAX = 64

/** `serving`: it is heard of. `silent`: it is not, and may serve all the same. `over`: its lease has run out, it serves nothing. */
export const GATEWAY_STATES = ['serving', 'silent', 'over'] as const

/** By what the control plane knows it: a credential of its own, or the token that all gateways share; or it is let in no more. */
export const GATEWAY_CREDENTIALS = ['own', 'shared', 'revoked'] as const

/** A gateway as one organization sees it. */
export const gateway = z.object({
  id: z.string(),
  /** Of its program. */
  version: z.string(),
  state: z.enum(GATEWAY_STATES),
  credential: z.enum(GATEWAY_CREDENTIALS),
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
  credential: 'own',
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
  gatewaysEnroll: {
    method: 'POST',
    path: '/api/Gateways/enrolments',
    summary: 'Make a token that enrols one gateway',
    description: `The token is shown in this answer and never again. It enrols one gateway, once, within ${ENROLMENT_TOKEN_MINUTES} minutes, by \`sallyport gateway enroll\`. Without \`gatewayId\` it enrols any gateway that is not enrolled yet; with it, that one alone, also one that was enrolled or revoked before, whose earlier credentials end then. A gateway serves the whole installation: where that has several organizations, its operator makes tokens (\`sallyport gateways token\`), and this is a 409.`,
    permission: 'gateways:enroll',
    body: z.object({
      gatewayId: z
        .string()
        .regex(GATEWAY_ID_FORM, 'must be 1 to 64 letters, digits, dots, underscores and hyphens')
        .nullable()
        .optional(),
    }),
    response: z.object({ token: z.string(), gatewayId: z.string().nullable(), expires: z.iso.datetime() }),
    status: 201,
    idempotent: true,
    errors: ['conflict'],
    examples: {
      body: { gatewayId: null },
      response: {
        token: 'ge_live_000000000000000000000000000000000000000',
        gatewayId: null,
        expires: EXAMPLE.later,
      },
    },
  },
  gatewaysRevoke: {
    method: 'POST',
    path: '/api/Gateways/revoke',
    summary: 'Let a gateway in no more',
    description:
      'Every credential of the gateway ends: within a second its config feed is cut, and nothing that it sends is taken. What it serves it serves until `mayServeUntil`. A gateway without a credential of its own is a 409, and so is every one where the installation has several organizations: there its operator revokes (`sallyport gateways revoke`).',
    permission: 'gateways:enroll',
    body: z.object({ id: text(GATEWAY_ID_CHARS_MAX) }),
    status: 204,
    errors: ['conflict'],
    examples: { body: { id: EXAMPLE.gatewayId } },
  },
})
