/** Reads a traffic batch as a gateway posts it, with valid lines apart from those that cannot be stored. */
import {
  batchHeaderSchema,
  isValidRequest,
  trafficRequestSchema,
  trafficSenderSchema,
} from '@sallyport/contract/batches'
import {
  BATCH_BYTES_MAX,
  BATCH_EVENTS_MAX,
  BATCH_FORMAT,
  BATCH_LINE_CHARS_MAX,
  type BatchHeader,
  COMPRESSED_BATCH_FORMAT,
  GATHERED_BATCH_BYTES_MAX,
  requestOfLine,
  type TrafficRequest,
  type TrafficSender,
} from '@sallyport/contract/words'
import { z } from 'zod'
import { isServedIn, type ServedOrganizations } from '../../gateway-access/gateway-scope.ts'
import { inflated } from './inflated.ts'
import { headLine, readLines, TooMuchInput } from './ndjson.ts'

/** A line that cannot be stored, with the reason. `line` counts from 1, the header being line 1; 0 is a row of the store's. */
export interface BadLine {
  readonly line: number
  readonly reason: string
  readonly content: string
}

/** What is known of a batch besides its valid requests. */
export interface BatchSummary {
  readonly header: BatchHeader
  readonly badLines: readonly BadLine[]
  /** Of a part: its lines as they came, of which nothing is known but that they can be inflated. */
  readonly compressedLines?: Uint8Array
}

/** The batch as a whole can never be stored. */
export class BadBatch extends Error {
  readonly badLine: BadLine
  constructor(badLine: BadLine) {
    super(badLine.reason)
    this.badLine = badLine
  }
}

/** The gateway speaks another version of the contract, so its batch has to wait. */
class OtherFormat extends Error {}

/** Who sends a batch. */
export interface BatchSource {
  /** The organizations that the gateway serves: of no other anything is taken. */
  readonly organizations: ServedOrganizations
  /** Whether it has a credential of its own: then it speaks of what it saw itself, and of nothing that another gateway saw. */
  readonly isEnrolled: boolean
}

/** Called with each valid request. The sender is the same object for all requests that name the same line. */
export type OnRequest = (sender: TrafficSender, request: TrafficRequest) => void

const CONTENT_CHARS_MAX = 64 * 1024
/** A gateway posts less at once; one with another bound is not told apart. */
const PART_BYTES_MAX = 4 * 1024 * 1024
const FORMATS: ReadonlySet<number> = new Set([BATCH_FORMAT, COMPRESSED_BATCH_FORMAT])
const declaration = z.object({ sender: z.int().min(0) })
const DAY_MS = 86_400_000
/** A gateway whose clock is further ahead is wrong by more than any zone, and what it dates would be kept for as much longer. */
const AHEAD_MS_MAX = DAY_MS
/** The store makes parts of its own for each day of a batch. A gateway that was cut off for a year has no more. */
const BATCH_DAYS_MAX = 366

/**
 * Reads a batch from the body of its request. `onHeader` gets the header as soon as it has come, `onRequest` each valid request.
 * Throws `BadBatch` when the header is unusable or a bound is broken, `OtherFormat` when its lines are not those of
 * this version, and the stream's own error when it breaks off. Of a part the lines are returned as they came.
 */
export async function readBatch(
  body: AsyncIterable<Buffer>,
  source: BatchSource,
  onHeader: (header: BatchHeader) => void,
  onRequest: OnRequest,
): Promise<BatchSummary> {
  let line = 0
  try {
    const { head, rest } = await headLine(body, BATCH_BYTES_MAX)
    if (head === '') throw badBatch(0, 'the batch is empty', '')
    line = 1
    const header = readHeader(head)
    onHeader(header)
    if (header.part) return { header, badLines: [], compressedLines: await checkedPart(rest) }
    const parser = new BatchParser(header, source, onRequest)
    const isCompressed = header.format === COMPRESSED_BATCH_FORMAT
    await readLines(
      isCompressed ? inflated(rest) : rest,
      isCompressed ? GATHERED_BATCH_BYTES_MAX : BATCH_BYTES_MAX,
      (content) => {
        parser.parseLine(content)
        line = parser.line
      },
    )
    return parser.end()
  } catch (error) {
    if (error instanceof TooMuchInput) throw badBatch(line, error.message, '')
    throw error
  }
}

/** The lines of a part, still compressed, once it is known that they can be inflated. */
async function checkedPart(compressed: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  async function* noted(): AsyncGenerator<Buffer> {
    for await (const chunk of compressed) {
      bytes += chunk.length
      if (bytes > PART_BYTES_MAX) throw new TooMuchInput(`more than ${PART_BYTES_MAX} bytes in a part`)
      chunks.push(chunk)
      yield chunk
    }
  }
  await readLines(inflated(noted()), BATCH_BYTES_MAX, () => undefined)
  return Buffer.concat(chunks)
}

/** Parses the lines of a batch after its header. */
class BatchParser {
  readonly #header: BatchHeader
  readonly #source: BatchSource
  readonly #onRequest: OnRequest
  readonly #senders = new Map<unknown, TrafficSender>()
  readonly #badLines: BadLine[] = []
  readonly #days = new Set<number>()
  readonly #latest = Date.now() + AHEAD_MS_MAX
  #senderLines = 0
  #requestLines = 0
  /** The last line that came, counted from 1. */
  line = 1

  constructor(header: BatchHeader, source: BatchSource, onRequest: OnRequest) {
    this.#header = header
    this.#source = source
    this.#onRequest = onRequest
  }

  parseLine(content: string): void {
    this.line += 1
    const { format } = this.#header
    if (!FORMATS.has(format)) throw otherFormatOf(format)
    const isRequest = content.startsWith('[')
    if (isRequest) this.#requestLines += 1
    else this.#senderLines += 1
    if (this.#requestLines > BATCH_EVENTS_MAX || this.#senderLines > BATCH_EVENTS_MAX)
      throw badBatch(this.line, `more than ${BATCH_EVENTS_MAX} events or senders`, content)
    const json = content.length > BATCH_LINE_CHARS_MAX ? undefined : parseJson(content)
    const reason =
      json === undefined
        ? `not valid JSON of at most ${BATCH_LINE_CHARS_MAX} characters`
        : isRequest
          ? this.#parseRequest(json)
          : this.#parseSender(json)
    if (reason !== undefined)
      this.#badLines.push({ line: this.line, reason, content: content.slice(0, CONTENT_CHARS_MAX) })
  }

  end(): BatchSummary {
    const { events } = this.#header
    if (this.#requestLines !== events)
      this.#badLines.push({
        line: 1,
        reason: `the header announces ${events} events, ${this.#requestLines} came`,
        content: '',
      })
    return { header: this.#header, badLines: this.#badLines }
  }

  /** Returns why the line cannot be stored, if so. */
  #parseSender(json: unknown): string | undefined {
    const declared = validate(declaration, json)
    if ('reason' in declared) return declared.reason
    const sender = validate(trafficSenderSchema, json)
    if ('reason' in sender) return sender.reason
    const { orgId, gatewayId } = sender.value
    if (this.#source.isEnrolled && gatewayId !== this.#header.gatewayId)
      return 'gatewayId: is another gateway than the one that sends it'
    // Strangers whom no organization knows are of none.
    if (orgId !== '' && !isServedIn(this.#source.organizations, orgId))
      return 'orgId: the gateway does not serve this organization'
    this.#senders.set(declared.value.sender, sender.value)
    return undefined
  }

  /** The check finds in a tenth of the time that a request is valid; the schema says what is wrong with one that is not. */
  #parseRequest(json: unknown): string | undefined {
    if (!Array.isArray(json)) return 'neither a sender nor a request'
    const sender = this.#senders.get(json[0])
    if (!sender) return 'sender: no sound line before this one declares it'
    const candidate = requestOfLine(json)
    if (isValidRequest(candidate)) return this.#take(sender, candidate)
    const request = validate(trafficRequestSchema, candidate)
    return 'reason' in request ? request.reason : this.#take(sender, request.value)
  }

  #take(sender: TrafficSender, request: TrafficRequest): string | undefined {
    if (request.time > this.#latest) return 'time: more than a day ahead of the clock of the control plane'
    const day = Math.floor(request.time / DAY_MS)
    if (!this.#days.has(day)) {
      if (this.#days.size === BATCH_DAYS_MAX) return `time: more than ${BATCH_DAYS_MAX} days in a batch`
      this.#days.add(day)
    }
    this.#onRequest(sender, request)
    return undefined
  }
}

function readHeader(content: string): BatchHeader {
  const json = parseJson(content)
  const header = validate(batchHeaderSchema, json)
  if ('value' in header) return header.value
  // The header of another version may look otherwise; its batch is none the worse for that.
  const other = otherFormat.safeParse(json)
  if (other.success) throw otherFormatOf(other.data.format)
  throw badBatch(1, `header: ${header.reason}`, content)
}

const otherFormat = z.object({ format: z.int().refine((format) => !FORMATS.has(format)) })

const otherFormatOf = (format: number): OtherFormat =>
  new OtherFormat(`the gateway sends batches of format ${format}, not ${[...FORMATS].join(' or ')}`)

const badBatch = (line: number, reason: string, content: string): BadBatch =>
  new BadBatch({ line, reason, content: content.slice(0, CONTENT_CHARS_MAX) })

/** Undefined, which JSON cannot say, where the text is not JSON. */
function parseJson(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

type Validated<Value> = { readonly value: Value } | { readonly reason: string }

function validate<Value>(schema: z.ZodType<Value>, json: unknown): Validated<Value> {
  if (json === undefined) return { reason: 'not valid JSON' }
  const parsed = schema.safeParse(json)
  if (parsed.success) return { value: parsed.data }
  const issue = parsed.error.issues[0]
  return { reason: `${issue?.path.join('.') || 'line'}: ${issue?.message ?? 'not valid'}` }
}
