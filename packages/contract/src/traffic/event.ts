/**
 * The record of one request: what the gateway writes, the store keeps and the console shows. One event per request,
 * whatever happened to it; a WebSocket has two, one when it opens and one when it closes. Refusals of strangers share
 * one event where there are very many of them (`requestCount`). What each field holds is said in `fields.ts`.
 */
import { compile } from './compile.ts'
import type { ItemField, ValueOf } from './field.ts'
import { type HIT_FIELDS, TRAFFIC_FIELD_NAMES, TRAFFIC_FIELDS, trafficSenderFields } from './fields.ts'

type Fields = typeof TRAFFIC_FIELDS
type FieldsIn<Half> = {
  readonly [Name in keyof Fields as Fields[Name]['part']['half'] extends Half ? Name : never]: ValueOf<
    Fields[Name]['type']
  >
}
type ItemOf<Items extends Readonly<Record<string, ItemField>>> = {
  readonly [Name in keyof Items]: ValueOf<Items[Name]['type']>
}

/** One firewall rule that matched. */
export interface FirewallHit extends ItemOf<typeof HIT_FIELDS> {}

/** Who sent a request, and by what way it came: the same for thousands of requests. */
export interface TrafficSender extends FieldsIn<'sender'> {}

/** What is known of a request when it goes to its origin. */
export interface RequestLineHead extends FieldsIn<'head'> {}

/** What is known of a request at its end. */
export interface RequestLineTail extends FieldsIn<'tail'> {}

/** What was asked, and what became of it. */
export interface TrafficRequest extends RequestLineHead, RequestLineTail {}

/** One request and who sent it. */
export interface TrafficEvent extends TrafficSender, TrafficRequest {}

/** An event whose fields are still being filled. */
export type EventDraft = { -readonly [Name in keyof TrafficEvent]: TrafficEvent[Name] }

/** An event of which nothing is known yet. Its lists are shared by all of them and must be replaced, not added to. */
export const emptyEvent: () => EventDraft = compile(
  '',
  `({ ${TRAFFIC_FIELD_NAMES.map((name) => `${name}: ${emptyText(name)}`).join(', ')} })`,
  { noItems: Object.freeze([]) },
)

function emptyText(name: keyof Fields): string {
  const { empty } = TRAFFIC_FIELDS[name]
  return typeof empty === 'object' ? 'noItems' : JSON.stringify(empty)
}

/** The sender in what holds one, such as an event, and nothing else. */
export const senderOf: (given: TrafficSender) => TrafficSender = compile(
  'given',
  `({ ${trafficSenderFields.map((name) => `${name}: given.${name}`).join(', ')} })`,
)

export const isSameSender: (left: TrafficSender, right: TrafficSender) => boolean = compile(
  'left, right',
  trafficSenderFields.map((name) => `left.${name} === right.${name}`).join(' && '),
)
