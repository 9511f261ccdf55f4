/** Deliveries: each thing that a destination was to be told of, and what became of it. */
import { z } from 'zod'
import { identifier, idParams, pageOf, pageQuery } from '../../fields.ts'
import { keysOf } from '../../keys-of.ts'
import { DELIVERY_OUTCOMES, DELIVERY_STATES } from '../../notification-types.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'
import { notificationType } from './destinations.ts'

export const delivery = z.object({
  id: z.string(),
  destinationId: z.string(),
  /** What receivers know it by: `webhook-id` of every attempt, also of a replay. */
  messageId: z.string(),
  type: notificationType,
  /** When it happened. */
  time: z.iso.datetime(),
  /** What is told of it, as in the message. */
  data: z.record(z.string(), z.unknown()),
  state: z.enum(DELIVERY_STATES),
  attempts: z.int(),
  lastAttempt: z.iso.datetime().nullable(),
  /** Of one that waits. */
  nextAttempt: z.iso.datetime().nullable(),
  outcome: z.enum(keysOf(DELIVERY_OUTCOMES)),
  /** Status that the receiver answered the last attempt; null for none. */
  status: z.int().nullable(),
})
export type NotificationDelivery = z.infer<typeof delivery>

const exampleDelivery = {
  id: EXAMPLE.deliveryId,
  destinationId: EXAMPLE.destinationId,
  messageId: EXAMPLE.requestId,
  type: 'gateway.silent',
  time: EXAMPLE.time,
  data: { organizationId: EXAMPLE.orgId, gateway: { id: EXAMPLE.gatewayId } },
  state: 'waiting',
  attempts: 1,
  lastAttempt: EXAMPLE.time,
  nextAttempt: EXAMPLE.later,
  outcome: 'refused',
  status: 503,
} satisfies NotificationDelivery

export const deliveryOperations = declareOperations({
  deliveriesList: {
    path: '/api/Notifications/deliveries',
    summary: 'List what was told, and what became of it',
    description:
      'Newest first, for 30 days. `destination`, `state` and `type` narrow it. Of what a receiver answers only the status is kept.',
    permission: 'notifications:read',
    query: z.object({
      ...pageQuery,
      destination: identifier.optional(),
      state: z.enum(DELIVERY_STATES).optional(),
      type: notificationType.optional(),
    }),
    response: pageOf(delivery),
    examples: { query: { state: 'waiting' }, response: { items: [exampleDelivery], next: null } },
  },
  deliveriesReplay: {
    method: 'POST',
    path: '/api/Notifications/deliveries/{id}/replay',
    summary: 'Send a delivery again',
    description:
      'At once, and as often as a new one if it fails. It has the `webhook-id` that it had, so that a receiver which knows it can tell. A 409 where it is being sent at this moment, or its destination is not enabled.',
    permission: 'notifications:write',
    params: idParams,
    response: delivery,
    errors: ['conflict'],
    examples: { response: exampleDelivery },
  },
})
