/** Things that the recorder's tests share: events, a directory, a control plane that counts. */

import fs, { readdirSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import {
  BATCH_FORMATS_HEADER,
  type BatchHeader,
  type BatchPart,
  COMPRESSED_BATCH_FORMAT,
  emptyEvent,
  type TrafficEvent,
} from '@sallyport/contract'
import { eventsOfLines } from '../../../../test/support/batch-lines.ts'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { ControlUrls } from '../../src/control-plane/control-urls.ts'
import { GatewayCredential } from '../../src/control-plane/credential.ts'
import { type RecorderOptions, type RunningRecorder, startRecorder } from '../../src/record/start-recorder.ts'
import { TrafficJournal, type TrafficJournalOptions } from '../../src/record/traffic-journal.ts'
import { DEFAULT_JOURNAL_SETTINGS } from '../../src/settings.ts'

export const sampleEvent = (id: string, changes: Partial<TrafficEvent> = {}): TrafficEvent => ({
  ...emptyEvent(),
  id,
  time: 1_790_000_000_000,
  orgId: '01999999-9999-7999-8999-999999999991',
  siteId: '01999999-9999-7999-8999-999999999992',
  gatewayId: 'gateway-1',
  researcherId: '01999999-9999-7999-8999-999999999993',
  credential: 'key',
  credentialId: 'abcdef012345',
  clientAddress: '203.0.113.7',
  httpVersion: '1.1',
  tls: '',
  method: 'GET',
  scheme: 'http',
  host: 'shop.gate.localhost',
  target: '/orders/17?q=%22\u00e9"',
  path: '/orders/17',
  route: '/orders/{id}',
  queryNames: ['q'],
  status: 200,
  outcome: 'origin',
  responseBytes: 12,
  durationUs: 900,
  firstByteUs: 800,
  userAgent: 'curl/8.0',
  tool: 'curl',
  inspection: 'off',
  ...changes,
})

const closers = new WeakMap<TestContext, (() => Promise<void>)[]>()

/**
 * Closes what works in the test's directory when the test ends, however it ends, before the directory is deleted. The
 * test may close it sooner.
 */
export function closeAtEnd<Closable extends { close(): Promise<void> }>(
  context: TestContext,
  closable: Closable,
): Closable {
  const close = closable.close.bind(closable)
  let closed: Promise<void> | undefined
  closable.close = () => {
    closed ??= close()
    return closed
  }
  closers.set(context, [...(closers.get(context) ?? []), closable.close])
  return closable
}

export async function temporaryDirectory(context: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-journal-'))
  context.after(async () => {
    for (const close of closers.get(context) ?? []) await close()
    // In one turn: a journal that is open still puts back what is missing.
    rmSync(directory, { recursive: true, force: true })
  })
  return directory
}

/**
 * A directory for a journal, and a control plane that takes its batches. What is opened in it is closed when the test ends,
 * however it ends; a test may close it sooner.
 */
export interface RecordUnderTest {
  readonly directory: string
  readonly plane: CountingControlPlane
  /** Of the control plane. */
  readonly url: string
  /** The segments of the journal, in order. */
  segmentFiles(): string[]
  openJournal(changes?: Partial<TrafficJournalOptions>): Promise<{ journal: TrafficJournal; lines: string[] }>
  /** A recorder that sends to the control plane. */
  start(changes?: Partial<RecorderOptions>): Promise<{ recorder: RunningRecorder; lines: string[] }>
}

export async function setUpRecord(context: TestContext): Promise<RecordUnderTest> {
  const directory = await temporaryDirectory(context)
  const plane = new CountingControlPlane()
  const url = await plane.listen(context)
  return {
    directory,
    plane,
    url,
    segmentFiles: () =>
      readdirSync(directory)
        .filter((name) => name.endsWith('.journal'))
        .sort()
        .map((name) => join(directory, name)),
    async openJournal(changes) {
      const lines: string[] = []
      const log: TrafficJournalOptions['log'] = (_level, line) => lines.push(line)
      const journal = await TrafficJournal.open({ ...DEFAULT_JOURNAL_SETTINGS, directory, log, ...changes })
      return { journal: closeAtEnd(context, journal), lines }
    },
    async start(changes) {
      const lines: string[] = []
      const recorder = await startRecorder({
        directory,
        controlUrls: new ControlUrls([url]),
        credential: new GatewayCredential('token'),
        journal: DEFAULT_JOURNAL_SETTINGS,
        report: () => ({ gatewayId: 'gateway-1', revision: 7, assertionKeys: { keys: [] }, health: [] }),
        log: (_level, line) => lines.push(line),
        ...changes,
      })
      return { recorder: closeAtEnd(context, recorder), lines }
    },
  }
}

/** How the counting control plane answers a batch of so many bytes with its header; it stores what it accepts. */
export type Answer = (header: BatchHeader, attempt: number, bytes: number) => number | 'break'

/** A control plane as the contract has it: each batch id counts once, whatever comes again. */
export class CountingControlPlane {
  readonly #server = createServer((request, response) => {
    this.tokens.push((request.headers.authorization ?? '').replace(/^Bearer /, ''))
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => undefined)
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const headEnd = bytes.indexOf('\n')
      const header: BatchHeader = JSON.parse(bytes.toString('utf8', 0, headEnd))
      const rest = bytes.subarray(headEnd + 1)
      const isCompressed = header.format === COMPRESSED_BATCH_FORMAT
      const text = (isCompressed ? zstdDecompressSync(rest) : rest).toString().trimEnd()
      this.largestBytes = Math.max(this.largestBytes, bytes.length)
      const status = this.#take(header, text === '' ? [] : text.split('\n'), bytes.length)
      if (status === 'break') response.destroy()
      else
        response
          .writeHead(status, this.takesCompressed ? { [BATCH_FORMATS_HEADER]: COMPRESSED_BATCH_FORMAT } : {})
          .end(status === 400 ? this.refusal(header) : '')
    })
  })
  readonly events = new Map<string, TrafficEvent[]>()
  readonly headers: BatchHeader[] = []
  /** What those who sent showed. */
  readonly tokens: string[] = []
  readonly bodies = new Map<string, string>()
  /** Batch ids that came again with other events than before. */
  readonly changed: string[] = []
  /** Of batches that came in parts: the lines of each part, by where it begins. */
  readonly #parts = new Map<string, Map<number, { readonly end: number; readonly lines: string[] }>>()
  #attempts = 0
  /** Whether it says that it takes the compressed format. */
  takesCompressed = true
  /** The largest body that came. */
  largestBytes = 0
  answer: Answer = () => 204
  /** The body of a 400. */
  refusal = ({ batchId }: BatchHeader): string => JSON.stringify({ batchId, reason: 'a bound is broken' })

  async listen(context: TestContext): Promise<string> {
    return (await listenForTest(context, this.#server)).url
  }

  get count(): number {
    return this.events.size
  }

  /** How many requests the events stand for that are `taken`. */
  requestsOf(taken: (event: TrafficEvent) => boolean): number {
    const events = [...this.events.values()].flat().filter(taken)
    return events.reduce((sum, event) => sum + event.requestCount, 0)
  }

  #take(header: BatchHeader, lines: string[], bytes: number): number | 'break' {
    this.headers.push(header)
    if (header.batchId === '') return 204
    if (header.part) return this.#takePart(header, header.part, lines, bytes)
    const known = this.bodies.get(header.batchId)
    const body = contentOf(lines)
    if (known !== undefined && known !== body) this.changed.push(header.batchId)
    this.#attempts += 1
    const status = this.answer(header, this.#attempts, bytes)
    // A broken answer may come after the batch was stored: that is the case that ids are for.
    if (status !== 204 && status !== 'break') return status
    if (known !== undefined) return status
    this.bodies.set(header.batchId, body)
    for (const event of eventsOfLines(lines)) this.#store(event)
    return status
  }

  /** Forgets the parts that came, as a control plane does after a week. */
  forgetParts(): void {
    this.#parts.clear()
  }

  #takePart(header: BatchHeader, part: BatchPart, lines: string[], bytes: number): number | 'break' {
    this.#attempts += 1
    const status = this.answer(header, this.#attempts, bytes)
    if (status !== 204 && status !== 'break') return status
    const parts = this.#parts.get(header.batchId) ?? new Map()
    this.#parts.set(header.batchId, parts.set(part.first, { end: part.end, lines }))
    if (part.end < part.of) return status
    const whole: string[] = []
    for (let at = 0; at < part.of; ) {
      const next = parts.get(at)
      if (!next) return 409
      whole.push(...next.lines)
      at = next.end
    }
    if (this.bodies.has(header.batchId)) return status
    this.bodies.set(header.batchId, contentOf(whole))
    for (const event of eventsOfLines(whole)) this.#store(event)
    return status
  }

  #store(event: TrafficEvent): void {
    const key = `${event.id} ${event.kind}`
    this.events.set(key, [...(this.events.get(key) ?? []), event])
  }
}

/** What a batch says, which is the same whether it comes whole or in parts: each part declares the senders of its own lines. */
const contentOf = (lines: readonly string[]): string => JSON.stringify(eventsOfLines([...lines]))

/** Waits until something is so, well over what it takes on a loaded machine. */
export async function until(condition: () => boolean, what: string, timeoutMs = 30_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Calls of the disk, as the journal makes them. */
interface DiskCalls {
  fdatasync(file: number, done: (error: Error | null) => void): void
  openSync(path: string, flags: string, mode?: number): number
  writeSync(file: number, bytes: Buffer, from: number, length: number, at: number): number
}

/** Puts what `replace` makes of the real call in the place of it until the test ends, also for who imported it by name. */
export function replaceDiskCall<Name extends keyof DiskCalls>(
  context: TestContext,
  name: Name,
  replace: (real: DiskCalls[Name]) => DiskCalls[Name],
): void {
  // Node's own type has every way to call it.
  const real: DiskCalls[Name] = (fs as DiskCalls)[name]
  context.mock.method(fs as DiskCalls, name, replace(real))
  syncBuiltinESMExports()
  context.after(() => {
    context.mock.restoreAll()
    syncBuiltinESMExports()
  })
}

/** An error as the disk's calls throw it. */
export const diskError = (code: string, words: string): Error =>
  Object.assign(new Error(`${code}: ${words}`), { code })
