/** A control plane for measurements: one snapshot of the wanted size, every batch acknowledged. */
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  FEED_PING_INTERVAL_MS,
  type FeedMessage,
  type ResearcherConfig,
  type SiteConfig,
} from '@sallyport/contract'

export const KEY = 'rk_live_bench'
export const HOST = 'bench.gate.localhost'

export interface Population {
  readonly originPort: number
  /** Besides the one that is measured. */
  readonly sites: number
  readonly researchers: number
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The site that is measured: a dozen block rules and a limit that is never reached. */
function measuredSite(id: string, gatedName: string, originPort: number): SiteConfig {
  return {
    id,
    orgId: 'org',
    gatedName,
    origin: { scheme: 'http', host: '127.0.0.1', port: originPort },
    enabled: true,
    startsAt: null,
    stopsAt: null,
    access: 'all',
    researcherIds: [],
    rateLimit: 'ample',
    blockRules: Array.from({ length: 12 }, (_, index) => ({
      id: `rule-${index}`,
      pathPrefix: `/internal/area-${index}`,
      methods: [],
      status: 403,
      enabled: true,
    })),
    firewall: { mode: 'off', overrides: [], exclusions: [] },
    redaction: { queryValues: 'keep', clientAddress: 'keep', userAgent: 'keep' },
    refuseAmbiguousTargets: false,
    instructions: '',
    hasCredentials: false,
  }
}

const researcher = (id: string, keyHash: string): ResearcherConfig => ({
  id,
  orgId: 'org',
  email: `${id}@example.org`,
  name: id,
  paused: false,
  expiresAt: null,
  keyHashes: [keyHash],
  invitations: [],
  sessionGeneration: 0,
})

function* snapshot({ originPort, sites, researchers }: Population): Generator<FeedMessage> {
  yield { type: 'begin', mode: 'full', revision: 1 }
  const sessionKey = Buffer.alloc(32, 1).toString('base64url')
  yield { type: 'put', kind: 'installation', id: '', value: { sessionKey } }
  yield { type: 'put', kind: 'organization', id: 'org', value: { id: 'org', name: 'Bench', open: true } }
  const site = { kind: 'sliding', limit: 1_000_000, windowMs: 1_000, segments: 10 } as const
  const value = { name: 'ample', site, perResearcher: site }
  yield { type: 'put', kind: 'policy', id: 'ample', value }
  yield { type: 'put', kind: 'site', id: 'bench', value: measuredSite('bench', HOST, originPort) }
  yield { type: 'put', kind: 'researcher', id: 'bench', value: researcher('bench', hash(KEY)) }
  for (let index = 0; index < sites; index++) {
    const id = `site-${index}`
    yield { type: 'put', kind: 'site', id, value: measuredSite(id, `${id}.gate.localhost`, originPort) }
  }
  for (let index = 0; index < researchers; index++) {
    const id = `researcher-${index}`
    yield { type: 'put', kind: 'researcher', id, value: researcher(id, hash(id)) }
  }
  yield { type: 'commit', revision: 1 }
}

/** Starts it on a free port. */
export async function startControlStub(population: Population): Promise<{ port: number; close(): void }> {
  const server: Server = createServer((request, response) => {
    if (request.method === 'POST') {
      request.resume().on('end', () => response.writeHead(204).end())
      return
    }
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    for (const message of snapshot(population)) response.write(`${JSON.stringify(message)}\n`)
    const timer = setInterval(() => response.write('{"type":"ping"}\n'), FEED_PING_INTERVAL_MS)
    response.on('close', () => clearInterval(timer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
