/** The bounds of a `BatchHeader`, as the collector enforces them. */
import { z } from 'zod'
import { EPOCH_MS_MAX, gatewayName, text } from '../../fields.ts'
import { ID_CHARS_MAX } from '../../limits.ts'
import { BATCH_EVENTS_MAX, type BatchHeader, COMPRESSED_BATCH_FORMAT, GATEWAY_THREADS_MAX } from '../batch.ts'

const count = z.int().min(0)

const publicJsonWebKey = z.object({
  kty: text(16),
  crv: text(32),
  x: text(256),
  y: text(256).optional(),
  kid: text(128),
  alg: text(32),
  use: z.literal('sig'),
})

const originHealth = z.object({
  siteId: text(ID_CHARS_MAX),
  state: z.enum(['healthy', 'failing', 'open']),
  reason: text(128),
  since: count.max(EPOCH_MS_MAX),
})

const part = z
  .object({ first: count, end: count.max(BATCH_EVENTS_MAX), of: count.max(BATCH_EVENTS_MAX) })
  .refine(({ first, end, of }) => first < end && end <= of, {
    message: 'a part is of some requests of its batch',
  })

/** Exactly the shape of `BatchHeader`, of any format; unknown members are dropped. A batch with events has an id. */
export const batchHeaderSchema = z
  .object({
    format: count,
    gatewayId: gatewayName,
    batchId: text(128),
    revision: count,
    isDrained: z.boolean().optional(),
    journalNumber: count.max(GATEWAY_THREADS_MAX - 1).optional(),
    events: count.max(BATCH_EVENTS_MAX),
    part: part.optional(),
    assertionKeys: z.object({ keys: z.array(publicJsonWebKey).max(16) }),
    health: z.array(originHealth).max(100_000),
    healthUnknown: z.array(text(ID_CHARS_MAX)).max(100_000).optional(),
    journal: z.object({ pending: count, pendingBytes: count, damagedBytes: count }),
  })
  .refine((header) => (header.events === 0 && !header.part) || header.batchId !== '', {
    path: ['batchId'],
    message: 'a batch with events needs an id',
  })
  .refine(({ part: given, events }) => !given || events <= given.end - given.first, {
    path: ['events'],
    message: 'a part has no more events than it stands for',
  })
  .refine(({ part: given, format }) => !given || format === COMPRESSED_BATCH_FORMAT, {
    path: ['part'],
    message: 'parts are compressed',
  }) as z.ZodType<BatchHeader>
