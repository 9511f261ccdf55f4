/** The real data plane with a snapshot that the test sets and a recorder that it reads. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { resolve } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type FeedPut,
  formatSecretKey,
  type InstallationConfig,
  RESEARCHER_KEY_PREFIX,
  type ResearcherConfig,
  SECRET_KEY_RANDOM_BYTES,
  type SiteConfig,
  type TrafficEvent,
} from '@sallyport/contract'
import { Silence } from '../../../../test/support/silence.ts'
import { siteConfig } from '../../../../test/support/site-config.ts'
import { Closures } from '../../src/closures/closures.ts'
import {
  createOriginPools,
  type DataPlane,
  type DataPlaneParts,
  startDataPlane,
} from '../../src/data-plane.ts'
import { type CreateListener, createArrivals } from '../../src/downstream/arrival/arrivals.ts'
import type { ConnectionLimiter } from '../../src/downstream/connections/connection-limiter.ts'
import type { WorkBudget } from '../../src/downstream/connections/work-budget.ts'
import { Lease } from '../../src/lease/lease.ts'
import type { JournalProgress, Recorder, TrafficIntent } from '../../src/record/recorder.ts'
import { DEFAULT_GATEWAY_LIMITS, DEFAULT_JOURNAL_SETTINGS, type GatewaySettings } from '../../src/settings.ts'
import { CompiledSnapshot } from '../../src/snapshot/compile.ts'
import { type PutLine, readLine } from '../../src/snapshot/put-lines.ts'
import type { Snapshot, SnapshotSource } from '../../src/snapshot/snapshot.ts'
import type { RuleEngines } from '../../src/stages/firewall/rule-engines.ts'
import { LocalCounters } from '../../src/stages/limit/local-counters.ts'
import { createAssertionSigner } from '../../src/upstream/forward/assertion.ts'
import { startTestRuleEngines } from '../stages/firewall/support.ts'

export const KEY = 'rk_live_test'
export const ADMIN_TOKEN = 'admin-token-of-the-tests'
export const HOST = 'app.gate.localhost'
export const GATE_HOST = 'sallyport.gate.localhost'
export const SESSION_KEY = Buffer.alloc(32, 7).toString('base64url')
/** The folder with the built page for researchers. */
export const RESEARCHER_PAGE = resolve(import.meta.dirname, '../../../console/dist/researcher')
/** A key of a researcher as they are made, another for each number. */
export const researcherKey = (fill: number): string =>
  formatSecretKey(RESEARCHER_KEY_PREFIX, Buffer.alloc(SECRET_KEY_RANDOM_BYTES, fill))
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

export const site = (originPort: number, changes: Partial<SiteConfig> = {}): SiteConfig =>
  siteConfig({ id: 'site-1', orgId: 'org', gatedName: HOST }, originPort, changes)

export const researcher = (changes: Partial<ResearcherConfig> = {}): ResearcherConfig => ({
  id: 'researcher-1',
  orgId: 'org',
  email: 'ada@example.org',
  name: 'Ada',
  paused: false,
  expiresAt: null,
  keyHashes: [hashOf(KEY)],
  sessionGeneration: 0,
  ...changes,
})

export const BOB_KEY = 'rk_live_bob'
/** Another researcher of the organization, who is not there before a test adds them. */
export const BOB = researcher({
  id: 'researcher-2',
  email: 'bob@example.org',
  name: 'Bob',
  keyHashes: [hashOf(BOB_KEY)],
})

/** A put as a gateway takes it in. */
export const putOf = (put: FeedPut): PutLine => putIn(`${JSON.stringify(put)}\n`)

/** The put that a line of the feed is. */
export function putIn(line: string): PutLine {
  const message = readLine(Buffer.from(line))
  assert.ok(message.type === 'put')
  return message
}

/** A snapshot source that tests change by feed messages. */
export class TestSnapshots implements SnapshotSource {
  current = CompiledSnapshot.empty()
  readonly #listeners = new Set<(snapshot: Snapshot) => void>()

  onSwap(listener: (snapshot: Snapshot) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
  apply(...messages: FeedPut[]): void {
    const edit = this.current.edit(false)
    for (const message of messages) edit.put(putOf(message))
    this.current = edit.commit(this.current.revision + 1)
    for (const listener of this.#listeners) listener(this.current)
  }
  /** One site, and one researcher of the same organization. */
  begin(siteConfig: SiteConfig): void {
    this.apply(
      { type: 'put', kind: 'installation', id: 'installation', value: { sessionKey: SESSION_KEY } },
      { type: 'put', kind: 'organization', id: 'org', value: { id: 'org', name: 'Org', open: true } },
      { type: 'put', kind: 'site', id: siteConfig.id, value: siteConfig },
      { type: 'put', kind: 'researcher', id: 'researcher-1', value: researcher() },
    )
  }
  putInstallation(value: InstallationConfig): void {
    this.apply({ type: 'put', kind: 'installation', id: 'installation', value })
  }
  putSite(value: SiteConfig): void {
    this.apply({ type: 'put', kind: 'site', id: value.id, value })
  }
  putResearcher(value: ResearcherConfig): void {
    this.apply({ type: 'put', kind: 'researcher', id: value.id, value })
  }
  /** Another researcher, who has the key. */
  putOther(key: string, changes: Partial<ResearcherConfig> = {}): void {
    this.putResearcher(researcher({ id: 'researcher-2', keyHashes: [hashOf(key)], ...changes }))
  }
  /** Another organization, and a researcher of it, who has the key. */
  putOtherOrganization(orgId: string, key: string): void {
    const value = { id: orgId, name: orgId, open: true }
    this.apply({ type: 'put', kind: 'organization', id: orgId, value })
    this.putOther(key, { orgId })
  }
}

/** Of a journal of which each number is another. */
export const JOURNAL_PROGRESS: JournalProgress = {
  admitting: true,
  pending: 1,
  pendingBytes: 2,
  lagMs: 2_000,
  bytes: 3,
  bytesMax: 14,
  openIntents: 4,
  damagedBytes: 5,
  dropped: 6,
  aggregated: 7,
  strangerBytes: 8,
}

/** Keeps what it is told, and whether each forwarded request was intended first. */
class TestRecorder implements Recorder {
  admitting = true
  readonly uploads = new Map([['accepted', 1]])
  readonly intents: TrafficIntent[] = []
  readonly events: TrafficEvent[] = []
  intend(intent: TrafficIntent): Promise<void> {
    this.intents.push(intent)
    return new Promise((resolve) => setImmediate(resolve))
  }
  record(event: TrafficEvent): void {
    this.events.push({ ...event })
  }
  progress(): JournalProgress {
    return { ...JOURNAL_PROGRESS, admitting: this.admitting }
  }
  /** Waits until so many events are there. */
  async waitFor(count: number): Promise<readonly TrafficEvent[]> {
    for (let waited = 0; this.events.length < count && waited < 5_000; waited += 5) await sleep(5)
    return this.events
  }
}

/** A data plane with the engines of its firewall. */
export interface RunningDataPlane extends DataPlane {
  readonly engines: RuleEngines
}

export interface TestDataPlane {
  readonly dataPlane: RunningDataPlane
  readonly port: number
  readonly snapshots: TestSnapshots
  readonly recorder: TestRecorder
}

/** A data plane that is asked over HTTP/1.1. */
export interface TestGate extends TestDataPlane {
  /** Sends a request of the researcher, on a connection of its own. */
  send(line: string, ...headers: string[]): Promise<RawAnswer>
}

export const testSettings = (changes: Partial<GatewaySettings> = {}): GatewaySettings => ({
  dataDir: '/nonexistent',
  gatewayId: 'gateway-1',
  version: '0.0.0',
  threads: 1,
  host: '127.0.0.1',
  port: 0,
  adminHost: '127.0.0.1',
  adminPort: 0,
  tls: null,
  proxyProtocolFrom: [],
  trustedProxies: [],
  forwardedHeader: 'x-forwarded-for',
  controlUrls: ['http://127.0.0.1:1'],
  controlSilenceMaxMs: 5_000,
  adminToken: ADMIN_TOKEN,
  gatewayToken: 'token',
  allowPrivateOrigins: ['127.0.0.0/8', '::1/128'],
  originAuthoritiesFile: null,
  valkeyUrl: null,
  traces: null,
  researcherPageDir: null,
  journal: DEFAULT_JOURNAL_SETTINGS,
  limits: { ...DEFAULT_GATEWAY_LIMITS, drainTimeoutMs: 100 },
  logLevel: 'silent',
  ...changes,
})

/** Makes listeners whose connections begin at once. */
export const testListeners = (limiter: ConnectionLimiter, budget: WorkBudget): CreateListener =>
  createArrivals({ settings: testSettings(), limiter, budget, log: () => {} })

type OptionalParts = Partial<
  Pick<
    DataPlaneParts,
    | 'lease'
    | 'closures'
    | 'counters'
    | 'origins'
    | 'onUnexpected'
    | 'revealCredentials'
    | 'acceptInvitation'
    | 'shared'
  >
>

/** A data plane of a test's own snapshots and recorder; it has to be closed. */
export async function startDataPlaneOf(
  settings: GatewaySettings,
  snapshots: TestSnapshots,
  recorder: Recorder,
  changes: OptionalParts = {},
): Promise<RunningDataPlane> {
  const engines = await startTestRuleEngines(snapshots)
  const dataPlane = await startDataPlane({
    settings,
    snapshots,
    engines,
    lease: changes.lease ?? new Lease(),
    closures: changes.closures ?? Closures.inMemory(),
    isLeaseGranted: () => true,
    recorder,
    origins: changes.origins ?? (await createOriginPools(settings)),
    assertions: await createAssertionSigner(),
    counters: changes.counters ?? new LocalCounters(),
    whyNotReady: () => null,
    revealCredentials: changes.revealCredentials ?? (async () => 'user: ada'),
    acceptInvitation: changes.acceptInvitation ?? (async () => 'away'),
    ...(changes.shared && { shared: changes.shared }),
    log: () => {},
    onUnexpected:
      changes.onUnexpected ??
      ((error) => {
        throw error
      }),
  })
  return {
    ...dataPlane,
    engines,
    close: async () => {
      engines.close()
      await dataPlane.close()
    },
  }
}

/** Opens a data plane with one site (if an origin's port is given) and one researcher; closed with the test. */
export async function startTestDataPlane(
  context: Pick<TestContext, 'after'>,
  originPort: number,
  changes: OptionalParts & {
    settings?: Partial<GatewaySettings>
    site?: Partial<SiteConfig>
    /** Of the gate's own host; on the data plane's own port unless given. Null for a control plane that says none. */
    gateUrl?: string | null
  } = {},
): Promise<TestGate> {
  const snapshots = new TestSnapshots()
  const recorder = new TestRecorder()
  snapshots.begin(site(originPort, changes.site))
  const dataPlane = await startDataPlaneOf(testSettings(changes.settings), snapshots, recorder, changes)
  context.after(() => dataPlane.close())
  const { gateUrl = `http://${GATE_HOST}:${dataPlane.http.port}` } = changes
  if (gateUrl !== null) snapshots.putInstallation({ sessionKey: SESSION_KEY, gateUrl })
  const { port } = dataPlane.http
  return {
    dataPlane,
    port,
    snapshots,
    recorder,
    send: (line, ...headers) => sendRaw(port, request(line, ...headers)),
  }
}

/** Sends bytes on a new connection and returns all that comes back until it is closed or quiet for `quietMs`. */
export async function sendRaw(port: number, bytes: string | Buffer, quietMs = 150): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1')
  return await collect(socket, typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, quietMs)
}

export interface RawAnswer {
  readonly text: string
  readonly status: number
  /** True where the gate closed the connection. */
  readonly closed: boolean
}

function collect(socket: Socket, bytes: Buffer, quietMs: number): Promise<RawAnswer> {
  const { promise, resolve } = Promise.withResolvers<RawAnswer>()
  let text = ''
  const done = (closed: boolean): void => {
    silence.stop()
    socket.destroy()
    resolve({ text, status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), closed })
  }
  const silence = new Silence(() => done(false))
  silence.await(Math.max(quietMs, 1_000))
  socket.on('connect', () => socket.write(bytes))
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    silence.await(quietMs)
  })
  socket.on('error', () => done(true))
  socket.on('close', () => done(true))
  return promise
}

/** A request head of whoever has the key, with whatever lines are given. */
export const requestWith = (key: string, line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, `Host: ${HOST}`, `Sallyport-Key: ${key}`, ...headers, '', ''].join('\r\n')

/** The same of the researcher. */
export const request = (line: string, ...headers: string[]): string => requestWith(KEY, line, ...headers)

/** A request head to the gate's own host, with whatever lines are given, and the body where there is one. */
export function gateRequest(line: string, ...headers: string[]): string {
  return [`${line} HTTP/1.1`, `Host: ${GATE_HOST}`, ...headers, '', ''].join('\r\n')
}

/** An answer taken apart. */
export interface Answer {
  readonly status: number
  /** Of a header that comes once; empty where it does not come. */
  header(name: string): string
  readonly cookies: readonly string[]
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any
}

/** Long enough that only the end of the connection ends the wait. */
const UNTIL_CLOSED_MS = 20_000

/** Sends one request on a connection of its own, and takes the answer apart. */
export async function ask(
  port: number,
  method: string,
  url: URL,
  { headers = {}, body }: { headers?: Record<string, string>; body?: object | string } = {},
): Promise<Answer> {
  const sent = typeof body === 'object' ? JSON.stringify(body) : body
  const lines = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    'Connection: close',
    ...(sent === undefined ? [] : [`Content-Length: ${Buffer.byteLength(sent)}`]),
    ...(typeof body === 'object' ? ['Content-Type: application/json'] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  const { text, status } = await sendRaw(port, `${lines.join('\r\n')}\r\n\r\n${sent ?? ''}`, UNTIL_CLOSED_MS)
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const answer = rest.join('\r\n\r\n')
  const valuesOf = (name: string): string[] =>
    [...head.matchAll(new RegExp(`^${name}: (.*)$`, 'gim'))].map((match) => match[1]?.trim() ?? '')
  return {
    status,
    header: (name) => valuesOf(name).join(', '),
    cookies: valuesOf('set-cookie'),
    body: answer,
    json: answer.startsWith('{') ? JSON.parse(answer) : undefined,
  }
}

/** Name and value of a `Set-Cookie`, as a browser sends them back. */
export const pairOf = (setCookie = ''): string => setCookie.split(';', 1)[0] ?? ''
