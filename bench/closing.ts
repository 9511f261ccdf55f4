/**
 * How long it takes until what is closed is served to nobody, under requests and open streams: with both control planes sound, with one
 * frozen, with the gateway cut off from both, with PostgreSQL frozen, and by the gateway's own admin port. Also whether the API
 * said "closed" while anything was served.
 */
import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Site } from '@sallyport/contract'
import { openFaultyLink } from '../test/support/faulty-link.ts'
import { callApi, eventually, startInstallation } from '../test/support/installation.ts'
import { freePorts, listenOnLoopback } from '../test/support/loopback.ts'
import { descendantsOf } from '../test/support/processes.ts'
import { startSecondControl } from '../test/support/role-process.ts'
import { createSite } from '../test/support/site.ts'

const SHOP = 'shop.gate.localhost'
const STREAMS = 20
const WORKERS = 4
const PAUSE_MS = 10
const LEASE_SECONDS = 10

const [secondPort = 0] = await freePorts(1)
const links: Awaited<ReturnType<typeof openFaultyLink>>[] = []
const installation = await startInstallation({
  between: async (first) => {
    for (const port of [Number(new URL(first).port), secondPort]) links.push(await openFaultyLink(port))
    return links.map(({ url }) => url).join(',')
  },
})
const second = await startSecondControl(installation, secondPort)
const origin = await listenOnLoopback(
  createServer((message, response) => {
    if (message.url !== '/stream') return response.end('ok')
    const timer = setInterval(() => response.write('more'), 20)
    return response.on('close', () => clearInterval(timer))
  }),
)
const { apiKey, researcher } = installation.firstRun
const urls = [installation.controlUrl, `http://127.0.0.1:${secondPort}`] as const
const pids = [installation.process('control').pid, second.pid] as const
/** The index of a control plane. */
type Plane = 0 | 1
const call = <Body>(index: Plane, method: string, path: string, body?: unknown) =>
  callApi<Body>(urls[index], method, path, body, apiKey)
const site = await createSite(installation, SHOP, origin.url)

/** Requests and streams through the gate, and when the last of each was still served. */
class Load {
  readonly key: string
  lastServedAt = 0
  lastStreamAt = 0
  running = 0
  #isStopped = false
  readonly #workers: Promise<void>[]

  constructor(key: string) {
    this.key = key
    for (let index = 0; index < STREAMS; index += 1) this.#openStream()
    this.#workers = Array.from({ length: WORKERS }, () => this.#work())
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#workers)
  }

  async #work(): Promise<void> {
    while (!this.#isStopped) {
      const { status } = await installation.gate(SHOP, '/', { key: this.key }).catch(() => ({ status: 0 }))
      if (status === 200) this.lastServedAt = performance.now()
      await sleep(PAUSE_MS)
    }
  }

  #openStream(): void {
    const { port } = new URL(installation.gatewayUrl)
    const headers = { host: SHOP, 'sallyport-key': this.key }
    const outgoing = request({ host: '127.0.0.1', port, path: '/stream', headers, agent: false })
    outgoing.on('error', () => undefined)
    outgoing.on('response', (answer) => {
      if (answer.statusCode !== 200) return answer.resume()
      this.running += 1
      answer.on('data', () => {
        this.lastStreamAt = performance.now()
      })
      answer.on('error', () => undefined)
      return answer.on('close', () => {
        this.running -= 1
      })
    })
    outgoing.end()
  }
}

interface Row {
  readonly what: string
  readonly requestsMs: number
  readonly streamsMs: number
  /** From the act until the API said "closed"; null where it was not asked or could not say. */
  readonly saidClosedMs: number | null
}
const rows: Row[] = []

/** Closes under load, and measures from the call of the act until the last that was served. */
async function measure(
  what: string,
  act: () => Promise<unknown>,
  { key = researcher.key, asks }: { key?: string; asks?: Plane } = {},
): Promise<void> {
  const load = new Load(key)
  await eventually(() => load.running === STREAMS, 20_000)
  await sleep(500)
  const from = performance.now()
  let saidClosedAt: number | null = null
  const done = act()
  const end = from + LEASE_SECONDS * 1_000 + 15_000
  while (performance.now() < end) {
    if (asks !== undefined && saidClosedAt === null) {
      const { body } = await call<Site>(asks, 'GET', `/api/Sites/${site.id}`)
      if (!body.isActive && !body.isDeploymentProgress) saidClosedAt = performance.now()
    }
    const quietMs = performance.now() - Math.max(load.lastServedAt, load.lastStreamAt)
    if (load.running === 0 && quietMs > 2_000 && (asks === undefined || saidClosedAt !== null)) break
    await sleep(PAUSE_MS)
  }
  await done
  await load.stop()
  rows.push({
    what,
    requestsMs: Math.round(load.lastServedAt - from),
    streamsMs: Math.round(load.lastStreamAt - from),
    saidClosedMs: saidClosedAt === null ? null : Math.round(saidClosedAt - from),
  })
}

/** One that has ended by itself meanwhile, as the servers of single connections do, is passed over. */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
const freeze = (pid: number): void => signal(pid, 'SIGSTOP')
const thaw = (pid: number): void => signal(pid, 'SIGCONT')
const person = `/api/Hackers/${researcher.id}`
const newKey = async (by: Plane) =>
  (await call<{ id: string; key: string }>(by, 'POST', `${person}/rotateKey`, { keepOld: true })).body
const untilOpen = (key = researcher.key) =>
  eventually(async () => (await installation.gate(SHOP, '/', { key })).status === 200, 30_000)

/** The acts through a control plane; `before` and `after` are called around each. */
async function measureActs(
  what: string,
  planeOf: () => Plane,
  before: () => void,
  after: () => void,
): Promise<void> {
  const key = await newKey(planeOf())
  await untilOpen(key.key)
  const acts = [
    ['kill switch', 'POST', '/api/Organization/stop', ['POST', '/api/Organization/resume']],
    ['pause', 'PATCH', person, ['PATCH', person]],
    ['key revoked', 'DELETE', `${person}/keys/${key.id}`, null],
    ['site closed', 'GET', `/api/Sites/disable/${site.id}`, ['POST', `/api/Sites/enable/${site.id}`]],
  ] as const
  for (const [name, method, path, undo] of acts) {
    const by = planeOf()
    const act = () => {
      before()
      return call(by, method, path, name === 'pause' ? { paused: true } : undefined)
    }
    const isKey = name === 'key revoked'
    await measure(`${what}: ${name}`, act, {
      ...(isKey && { key: key.key }),
      ...(name === 'site closed' && { asks: by }),
    })
    after()
    if (undo) await call(by, undo[0], undo[1], name === 'pause' ? { paused: false } : undefined)
    await untilOpen()
    await sleep(1_500)
  }
}

const postgresNow = (): readonly number[] =>
  descendantsOf(installation.process('supervisor').pid)
    .filter(({ command }) => command.includes('postgres'))
    .map(({ pid }) => pid)
let frozen: readonly number[] = []
const thawPostgres = (): void => {
  for (const pid of frozen) thaw(pid)
}

/** The admin port's own, without a control plane. */
async function closeHere(act: 'close' | 'open'): Promise<void> {
  const token = readFileSync(join(installation.dataDir, 'gateway', 'admin-token'), 'utf8')
  const answer = await fetch(`${installation.gatewayAdminUrl}/closures`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ act, scope: { kind: 'everything', id: '' }, by: 'bench', reason: 'measured' }),
  })
  if (answer.status !== 200) throw new Error(`the admin port answered ${answer.status}`)
}

try {
  await measureActs(
    'both sound',
    () => 0,
    () => undefined,
    () => undefined,
  )

  // The gateway goes over to the other one each time, so that each time the one is frozen that it follows.
  let followed: Plane = 0
  const other = (): Plane => (followed === 0 ? 1 : 0)
  const thawIt = (): void => {
    thaw(pids[followed])
    followed = other()
  }
  await measureActs('the one followed frozen', other, () => freeze(pids[followed]), thawIt)

  await call(other(), 'PATCH', '/api/Organization/details', { leaseSeconds: LEASE_SECONDS })
  await eventually(
    async () => (await call<Site>(0, 'GET', `/api/Sites/${site.id}`)).body.isDeploymentProgress === false,
    20_000,
  )
  const cut = async (): Promise<unknown> => {
    for (const link of links) link.set({ kind: 'silent' })
    return call(0, 'GET', `/api/Sites/disable/${site.id}`)
  }
  await measure(`cut off from both, lease ${LEASE_SECONDS} s: site closed`, cut, { asks: 0 })
  for (const link of links) link.set({ kind: 'sound' })
  await call(0, 'POST', `/api/Sites/enable/${site.id}`)
  await untilOpen()
  await sleep(3_000)

  const freezeAll = async (): Promise<void> => {
    frozen = postgresNow()
    for (const pid of frozen) freeze(pid)
  }
  await measure(`PostgreSQL frozen, lease ${LEASE_SECONDS} s`, freezeAll)
  thawPostgres()
  await untilOpen()
  await sleep(3_000)
  await measure('PostgreSQL frozen: closed at the admin port', async () => {
    await freezeAll()
    await closeHere('close')
  })
  thawPostgres()
  await closeHere('open')
  await untilOpen()
} finally {
  for (const pid of pids) thaw(pid)
  thawPostgres()
  for (const { what, requestsMs, streamsMs, saidClosedMs } of rows)
    console.log(
      `  ${what.padEnd(46)} last request ${String(requestsMs).padStart(6)} ms, last of a stream ${String(streamsMs).padStart(6)} ms${saidClosedMs === null ? '' : `, called closed after ${saidClosedMs} ms`}`,
    )
  await second.close()
  await installation.remove()
  await origin.close()
  for (const link of links) await link.close()
}
