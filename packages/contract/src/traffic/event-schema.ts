/** The bounds of a request and its sender, as the collector enforces them before it stores one. */
import { z } from 'zod'
import { ID_CHARS_MAX } from '../limits.ts'
import {
  CREDENTIALS,
  EVENT_KINDS,
  EXCERPT_CHARS_MAX,
  HITS_MAX,
  INSPECTIONS,
  OUTCOMES,
  PATH_CHARS_MAX,
  QUERY_NAMES_MAX,
  SEVERITIES,
  TARGET_CHARS_MAX,
  type TrafficRequest,
  type TrafficSender,
  USER_AGENT_CHARS_MAX,
} from './event.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const COUNT_MAX = Number.MAX_SAFE_INTEGER

const id = z.string().min(1).max(ID_CHARS_MAX)
const idOrEmpty = z.string().max(ID_CHARS_MAX)
const label = z.string().max(256)
const count = z.int().min(0).max(COUNT_MAX)
const microseconds = count
const messages = z
  .int()
  .min(0)
  .max(2 ** 32 - 1)

export const firewallHitSchema = z.object({
  rule: z.string().min(1).max(128),
  class: z.string().max(128),
  severity: z.enum(SEVERITIES),
  part: z.string().max(32),
  parameter: label,
  excerpt: z.string().max(EXCERPT_CHARS_MAX),
  excluded: z.boolean(),
})

const sender = z.object({
  /** Empty where the host is nobody's. */
  orgId: idOrEmpty,
  siteId: idOrEmpty,
  gatewayId: id,
  researcherId: idOrEmpty,
  credential: z.enum(CREDENTIALS),
  credentialId: idOrEmpty,
  clientAddress: z.string().max(128),
  httpVersion: z.enum(['1.0', '1.1', '2']),
  tls: z.string().max(16),
  scheme: z.enum(['http', 'https']),
  host: z.string().max(261),
  userAgent: z.string().max(USER_AGENT_CHARS_MAX),
  tool: z.string().max(64),
})

const request = z.object({
  id: z.string().regex(UUID, 'a lower-case UUID'),
  kind: z.enum(EVENT_KINDS),
  time: z.int().min(Date.UTC(2020, 0)).max(Date.UTC(2100, 0)),
  method: z.string().max(64),
  target: z.string().max(TARGET_CHARS_MAX),
  path: z.string().max(PATH_CHARS_MAX),
  route: z.string().max(PATH_CHARS_MAX),
  queryNames: z.array(label).max(QUERY_NAMES_MAX),
  status: z.int().min(0).max(999),
  outcome: z.enum(OUTCOMES),
  reason: z.string().max(64),
  rule: z.string().max(128),
  reading: z.string().max(128),
  requestBytes: count,
  responseBytes: count,
  durationUs: microseconds,
  firstByteUs: microseconds,
  inspection: z.enum(INSPECTIONS),
  hits: z.array(firewallHitSchema).max(HITS_MAX),
  messagesIn: messages,
  messagesOut: messages,
  requestCount: count.min(1),
})

/** Exactly the shape of `TrafficSender`; unknown members are dropped. */
export const trafficSenderSchema: z.ZodType<TrafficSender> = sender

/** Exactly the shape of `TrafficRequest`; unknown members are dropped. */
export const trafficRequestSchema: z.ZodType<TrafficRequest> = request

/** Names of the fields of a sender. */
export const trafficSenderFields: readonly string[] = Object.keys(sender.shape)

/** Names of the fields of a request. */
export const trafficRequestFields: readonly string[] = Object.keys(request.shape)
