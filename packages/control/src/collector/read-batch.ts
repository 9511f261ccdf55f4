/** Reads a traffic batch as a gateway posts it, telling sound events from those that cannot be taken. */
import {
  BATCH_BYTES_MAX,
  BATCH_EVENTS_MAX,
  type BatchHeader,
  batchHeaderSchema,
  type TrafficEvent,
  trafficEventSchema,
} from '@sallyport/contract'
import type { z } from 'zod'
import { readLines, TooMuchInput } from './ndjson.ts'

/** A line that cannot be taken, with the reason. `line` counts from 1, the header being line 1. */
export interface BadLine {
  readonly line: number
  readonly reason: string
  readonly content: string
}

export interface Batch {
  readonly header: BatchHeader
  readonly events: readonly TrafficEvent[]
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
 * Reads a batch from the body of its request. `heard` gets the header as soon as it has come, before the events.
 * Throws `BadBatch` when the header is unusable or a bound is broken, and the stream's own error when it breaks off.
 */
export async function readBatch(
  body: AsyncIterable<Buffer>,
  heard: (header: BatchHeader) => void,
): Promise<Batch> {
  const events: TrafficEvent[] = []
  const badLines: BadLine[] = []
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
      const event = parse(trafficEventSchema, content)
      if ('value' in event) events.push(event.value)
      else badLines.push({ line, reason: event.reason, content: content.slice(0, CONTENT_CHARS_MAX) })
    }
  } catch (error) {
    if (error instanceof TooMuchInput) throw badBatch(line, error.message, '')
    throw error
  }
  if (!header) throw badBatch(0, 'the batch is empty', '')
  const came = events.length + badLines.length
  if (came !== header.events)
    badLines.push({
      line: 1,
      reason: `the header announces ${header.events} events, ${came} came`,
      content: '',
    })
  return { header, events, badLines }
}

function readHeader(content: string): BatchHeader {
  const header = parse(batchHeaderSchema, content)
  if ('value' in header) return header.value
  throw badBatch(1, `header: ${header.reason}`, content)
}

const badBatch = (line: number, reason: string, content: string): BadBatch =>
  new BadBatch({ line, reason, content: content.slice(0, CONTENT_CHARS_MAX) })

function parse<Value>(schema: z.ZodType<Value>, content: string): { value: Value } | { reason: string } {
  let json: unknown
  try {
    json = JSON.parse(content)
  } catch {
    return { reason: 'not valid JSON' }
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return { value: parsed.data }
  const issue = parsed.error.issues[0]
  return { reason: `${issue?.path.join('.') || 'line'}: ${issue?.message ?? 'not valid'}` }
}
