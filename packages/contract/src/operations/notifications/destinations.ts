/** Destinations: where an organization is told of what happens, by webhook or by e-mail. */
import { z } from 'zod'
import { filledText, idParams, pageOf, pageQuery } from '../../fields.ts'
import { NAME_CHARS_MAX } from '../../limits.ts'
import {
  DESTINATION_KINDS,
  DESTINATION_STATES,
  DESTINATION_TARGET_CHARS_MAX,
  DESTINATIONS_MAX,
  NOTIFICATION_TYPE_NAMES,
  WEBHOOK_SIGNATURES,
} from '../../notification-types.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'

/** Longest time for which a webhook is signed with a replaced key, too. */
const KEY_OVERLAP_SECONDS_MAX = 7 * 86_400
const CODE_CHARS_MAX = 32

export const notificationType = z.enum(NOTIFICATION_TYPE_NAMES)
const types = z.array(notificationType).max(NOTIFICATION_TYPE_NAMES.length)
const target = filledText(DESTINATION_TARGET_CHARS_MAX)

export const destination = z.object({
  id: z.string(),
  kind: z.enum(DESTINATION_KINDS),
  name: z.string(),
  /** The URL of a webhook, or the address. */
  target: z.string(),
  /** What it is told of. */
  types: z.array(notificationType),
  state: z.enum(DESTINATION_STATES),
  /** How a webhook is signed; null of an address. */
  signature: z.enum(WEBHOOK_SIGNATURES).nullable(),
  /** `whpk_…`, by which an ed25519 signature is verified; null where there is none. */
  publicKey: z.string().nullable(),
  /** Since when no attempt has succeeded; null where the last one did. */
  failingSince: z.iso.datetime().nullable(),
  creationDate: z.iso.datetime(),
})
export type Destination = z.infer<typeof destination>

/** `secret` is the key of an HMAC, `whsec_…`, shown this once; null of another destination. */
const issuedDestination = destination.extend({ secret: z.string().nullable() })

const exampleDestination = {
  id: EXAMPLE.destinationId,
  kind: 'webhook',
  name: 'on call',
  target: 'https://hooks.example.com/sallyport',
  types: ['origin.failing', 'gateway.silent'],
  state: 'enabled',
  signature: 'hmac',
  publicKey: null,
  failingSince: null,
  creationDate: EXAMPLE.time,
} satisfies Destination
const exampleSecret = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='

export const destinationOperations = declareOperations({
  destinationsList: {
    path: '/api/Notifications/destinations',
    summary: 'List where the organization is told of what happens',
    description: 'Newest first, without the keys that sign.',
    permission: 'notifications:read',
    query: z.object(pageQuery),
    response: pageOf(destination),
    examples: { response: { items: [exampleDestination], next: null } },
  },
  destinationsGet: {
    path: '/api/Notifications/destinations/{id}',
    summary: 'Read a destination',
    description: 'Without its secret.',
    permission: 'notifications:read',
    params: idParams,
    response: destination,
    versioned: true,
    examples: { response: exampleDestination },
  },
  destinationsCreate: {
    method: 'POST',
    path: '/api/Notifications/destinations',
    summary: 'Add a destination',
    description: `A webhook is an \`https\` URL without user name and fragment, which follows Standard Webhooks; \`signature\` is \`hmac\` unless given, and its \`secret\` is shown in this answer and never again. An e-mail address is told nothing until the code that it is sent now was shown to \`/confirm\`; a 409 where the operator has not set up mail. At most ${DESTINATIONS_MAX}, or 409.`,
    permission: 'notifications:write',
    body: z.object({
      kind: z.enum(DESTINATION_KINDS),
      name: filledText(NAME_CHARS_MAX),
      target,
      types,
      signature: z.enum(WEBHOOK_SIGNATURES).optional(),
    }),
    response: issuedDestination,
    status: 201,
    versioned: true,
    idempotent: true,
    errors: ['conflict', 'too_many_requests'],
    examples: {
      body: {
        kind: 'webhook',
        name: 'on call',
        target: 'https://hooks.example.com/sallyport',
        types: ['origin.failing', 'gateway.silent'],
      },
      response: { ...exampleDestination, secret: exampleSecret },
    },
  },
  destinationsUpdate: {
    method: 'PATCH',
    path: '/api/Notifications/destinations/{id}',
    summary: 'Change a destination, disable or enable it',
    description:
      'Disabling cancels what still waits for it; what happens meanwhile is not told to it later. Enabling one that was disabled by itself gives it another chance. Only webhooks have another `target`: an address is a destination of its own.',
    permission: 'notifications:write',
    params: idParams,
    body: z.object({ name: filledText(NAME_CHARS_MAX), target, types, isEnabled: z.boolean() }).partial(),
    response: destination,
    versioned: true,
    errors: ['conflict'],
    examples: {
      body: { types: ['origin.failing'] },
      response: { ...exampleDestination, types: ['origin.failing'] },
    },
  },
  destinationsRotate: {
    method: 'POST',
    path: '/api/Notifications/destinations/{id}/rotate',
    summary: 'Give a webhook another key',
    description:
      'For `overlapSeconds`, a day unless given, messages bear the signatures of both keys. A 409 of an e-mail address.',
    permission: 'notifications:write',
    params: idParams,
    body: z
      .object({ overlapSeconds: z.int().min(0).max(KEY_OVERLAP_SECONDS_MAX) })
      .partial()
      .optional(),
    response: issuedDestination,
    status: 201,
    idempotent: true,
    errors: ['conflict'],
    examples: { body: { overlapSeconds: 3600 }, response: { ...exampleDestination, secret: exampleSecret } },
  },
  destinationsConfirm: {
    method: 'POST',
    path: '/api/Notifications/destinations/{id}/confirm',
    summary: 'Show the code that an address was sent',
    description:
      'From then on the address is told. A wrong code is a 400; after ten, the destination has to be added anew. One that is confirmed stays so.',
    permission: 'notifications:write',
    params: idParams,
    body: z.object({ code: filledText(CODE_CHARS_MAX) }),
    response: destination,
    errors: ['conflict'],
    examples: {
      body: { code: 'K7QP-2M9X' },
      response: exampleDestination,
    },
  },
  destinationsTest: {
    method: 'POST',
    path: '/api/Notifications/destinations/{id}/test',
    summary: 'Send a test to a destination',
    description:
      'Queues a `notification.test`, whatever types the destination has; how it ended is in the list of deliveries. A 409 where the destination is not enabled; a 429 after ten in an hour.',
    permission: 'notifications:write',
    params: idParams,
    status: 204,
    errors: ['conflict', 'too_many_requests'],
  },
  destinationsRemove: {
    method: 'DELETE',
    path: '/api/Notifications/destinations/{id}',
    summary: 'Remove a destination',
    description: 'With its deliveries, also those that wait.',
    permission: 'notifications:write',
    params: idParams,
    status: 204,
    versioned: true,
  },
})
