/** A control plane for measurements: snapshots of the wanted size, every batch acknowledged. */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import {
  FEED_PING_INTERVAL_MS,
  type FeedMessage,
  feedPut,
  LEASE_PATH,
  type LeaseChallenge,
  type LeaseGrant,
  type ResearcherConfig,
  type SiteConfig,
} from '@sallyport/contract'
import { packedMembers, storedMembers } from '@sallyport/toolbox'
import { listenOnLoopback } from '../../../test/support/loopback.ts'
import { siteConfig } from '../../../test/support/site-config.ts'

export const KEY = 'rk_live_bench'
export const HOST = 'bench.gate.localhost'

export interface Population {
  readonly originPort: number
  /** Besides the one that is measured. */
  readonly sites: number
  readonly researchers: number
}

/** As long as real ones, which is what counts for memory. */
const idOf = (kind: number, index: number): string =>
  `01900000-000${kind}-7000-8000-${index.toString(16).padStart(12, '0')}`
const ORG_ID = idOf(1, 0)
const [MEASURED_SITE, MEASURED_RESEARCHER] = [idOf(2, 0), idOf(3, 0)]

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The site that is measured: a dozen block rules and a limit that is never reached. */
const measuredSite = (id: string, gatedName: string, originPort: number): SiteConfig =>
  siteConfig({ id, orgId: ORG_ID, gatedName }, originPort, {
    rateLimit: 'ample',
    blockRules: Array.from({ length: 12 }, (_, index) => ({
      id: idOf(4, index),
      pathPrefix: `/internal/area-${index}`,
      methods: [],
      status: 403,
      enabled: true,
    })),
  })

const researcher = (id: string, keyHash: string): ResearcherConfig => ({
  id,
  orgId: ORG_ID,
  email: `researcher-${id.slice(-6)}@example.org`,
  name: `Researcher ${id.slice(-6)}`,
  paused: false,
  expiresAt: null,
  keyHashes: [keyHash],
  invitations: [],
  sessionGeneration: 0,
})

function* snapshot({ originPort, sites, researchers }: Population, revision: number): Generator<FeedMessage> {
  yield { type: 'begin', mode: 'full', revision }
  const sessionKey = Buffer.alloc(32, 1).toString('base64url')
  yield feedPut('installation', '', { sessionKey })
  yield feedPut('organization', ORG_ID, { id: ORG_ID, name: 'Bench', open: true })
  const limiter = { kind: 'sliding', limit: 1_000_000, windowMs: 1_000, segments: 10 } as const
  yield feedPut('policy', 'ample', { name: 'ample', site: limiter, perResearcher: limiter })
  const site = (id: string, name: string): FeedMessage =>
    feedPut('site', id, measuredSite(id, name, originPort))
  yield site(MEASURED_SITE, HOST)
  yield feedPut('researcher', MEASURED_RESEARCHER, researcher(MEASURED_RESEARCHER, hash(KEY)))
  for (let index = 1; index <= sites; index++) yield site(idOf(2, index), `site-${index}.gate.localhost`)
  for (let index = 1; index <= researchers; index++) {
    const id = idOf(3, index)
    yield feedPut('researcher', id, researcher(id, hash(id)))
  }
  yield { type: 'commit', revision }
}

export interface ControlStub {
  readonly port: number
  /**
   * Makes another snapshot ready. The function it returns says it, on a new connection, and resolves with the
   * milliseconds until the gateway reports to run it.
   */
  prepare(population: Population): () => Promise<number>
  close(): void
}

const PING = storedMembers(Buffer.from('{"type":"ping"}\n'))

/** Starts it on a free port. */
export async function startControlStub(population: Population): Promise<ControlStub> {
  let revision = 1
  let lines = packedMembers(render(population, revision))
  let saidAt = 0
  let onReport: (revision: number) => void = () => {}
  const feeds = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    if (request.url === LEASE_PATH) {
      void grantLease(request, response, revision)
      return
    }
    if (request.method === 'POST') {
      request.once('data', (chunk: Buffer) => onReport(JSON.parse(firstLine(chunk)).revision))
      request.resume().on('end', () => response.writeHead(204).end())
      return
    }
    feeds.add(response)
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' })
    lines.then((packed) => {
      saidAt = performance.now()
      response.write(packed)
    })
    const timer = setInterval(() => response.write(PING), FEED_PING_INTERVAL_MS)
    response.on('close', () => {
      feeds.delete(response)
      clearInterval(timer)
    })
  })
  const { port, close } = await listenOnLoopback(server)
  return {
    port,
    prepare: (next) => {
      const prepared = packedMembers(render(next, revision + 1))
      return () => {
        revision += 1
        lines = prepared
        const { promise, resolve } = Promise.withResolvers<number>()
        onReport = (reported) => {
          if (reported === revision) resolve(performance.now() - saidAt)
        }
        for (const feed of feeds) feed.destroy()
        return promise
      }
    },
    close,
  }
}

/** Beforehand, so that what is measured is the gateway's reading and not our writing. */
const render = (population: Population, revision: number): Buffer =>
  Buffer.concat(
    Array.from(snapshot(population, revision), (message) => Buffer.from(`${JSON.stringify(message)}\n`)),
  )

/** Vouches for whatever the gateway runs. */
async function grantLease(request: IncomingMessage, response: ServerResponse, revision: number) {
  const { challenge }: LeaseChallenge = JSON.parse(await text(request))
  response.end(JSON.stringify({ challenge, revision } satisfies LeaseGrant))
}

const firstLine = (bytes: Buffer): string => bytes.subarray(0, bytes.indexOf('\n')).toString()
