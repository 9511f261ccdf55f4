/** Reads a traffic batch as a gateway posts it, telling sound events from those that cannot be taken. */
import {
  BATCH_BYTES_MAX,
  BATCH_EVENTS_MAX,
  type BatchHeader,
  batchHeaderSchema,
  type TrafficEvent,
  type TrafficRequest,
  type TrafficSender,
  trafficEventSchema,
} from '@sallyport/contract'
import type { z } from 'zod'
import { readLines, TooMuchInput } from './ndjson.ts'
import { isSoundEvent } from './sound-event.ts'

/** A line that cannot be taken, with the reason. `line` counts from 1, the header being line 1; 0 is a row of the store's. */
export interface BadLine {
  readonly line: number
  readonly reason: string
  readonly content: string
}

/** What there is to say of a batch besides its sound events. */
export interface Batch {
  readonly header: BatchHeader
  readonly badLines: readonly BadLine[]
}

/** The batch as a whole can never be taken. */
export class BadBatch extends Error {
  readonly badLine: BadLine
  constructor(badLine: BadLine) {
    super(badLine.reason)
    this.badLine = badLine
  }
}

const CONTENT_CHARS_MAX = 64 * 1024

/**
 * Reads a batch from the body of its request. `heard` gets the header as soon as it has come, `take` each sound event.
 * Throws `BadBatch` when the header is unusable or a bound is broken, and the stream's own error when it breaks off.
 */
export async function readBatch(
  body: AsyncIterable<Buffer>,
  heard: (header: BatchHeader) => void,
  take: (sender: TrafficSender, request: TrafficRequest) => void,
): Promise<Batch> {
  const badLines: BadLine[] = []
  let taken = 0
  let header: BatchHeader | undefined
  let line = 0
  try {
    for await (const content of readLines(body, BATCH_BYTES_MAX)) {
      line += 1
      if (!header) {
        header = readHeader(content)
        heard(header)
        continue
      }
      if (line > BATCH_EVENTS_MAX + 1) throw badBatch(line, `more than ${BATCH_EVENTS_MAX} events`, content)
      const event = readEvent(content)
      if ('value' in event) {
        take(event.value, event.value)
        taken += 1
      } else badLines.push({ line, reason: event.reason, content: content.slice(0, CONTENT_CHARS_MAX) })
    }
  } catch (error) {
    if (error instanceof TooMuchInput) throw badBatch(line, error.message, '')
    throw error
  }
  if (!header) throw badBatch(0, 'the batch is empty', '')
  const came = taken + badLines.length
  if (came !== header.events)
    badLines.push({
      line: 1,
      reason: `the header announces ${header.events} events, ${came} came`,
      content: '',
    })
  return { header, badLines }
}

function readHeader(content: string): BatchHeader {
  const header = parse(batchHeaderSchema, content)
  if ('value' in header) return header.value
  throw badBatch(1, `header: ${header.reason}`, content)
}

const badBatch = (line: number, reason: string, content: string): BadBatch =>
  new BadBatch({ line, reason, content: content.slice(0, CONTENT_CHARS_MAX) })

type Parsed<Value> = { readonly value: Value } | { readonly reason: string }

/** The schema says what is wrong with an event; that nothing is, the check finds in a tenth of the time. */
function readEvent(content: string): Parsed<TrafficEvent> {
  const json = parseJson(content)
  if (json !== undefined && isSoundEvent(json)) return { value: json }
  return validate(trafficEventSchema, json)
}

const parse = <Value>(schema: z.ZodType<Value>, content: string): Parsed<Value> =>
  validate(schema, parseJson(content))

/** Undefined, which JSON cannot say, where the text is not JSON. */
function parseJson(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

function validate<Value>(schema: z.ZodType<Value>, json: unknown): Parsed<Value> {
  if (json === undefined) return { reason: 'not valid JSON' }
  const parsed = schema.safeParse(json)
  if (parsed.success) return { value: parsed.data }
  const issue = parsed.error.issues[0]
  return { reason: `${issue?.path.join('.') || 'line'}: ${issue?.message ?? 'not valid'}` }
}
