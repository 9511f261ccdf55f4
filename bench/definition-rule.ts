/**
 * What the API definition as a rule costs a request: the stage on heads of a definition of 500 operations, each with another path, ten
 * parameters and 15 headers, and on bodies of 1 and 20 KB of JSON; and the stage in a site without the rule. Processor time of one thread.
 */
import { compileDefinition, readTable } from '@sallyport/api-definition'
import { emptyEvent, type SiteConfig } from '@sallyport/contract'
import { Exchange, type ReceivedRequest } from '../packages/gateway/src/exchange/exchange.ts'
import { blockOf } from '../packages/gateway/src/headers/header-block.ts'
import type { Snapshot } from '../packages/gateway/src/snapshot/snapshot.ts'
import { judgeDefinition } from '../packages/gateway/src/stages/definition/judge-definition.ts'
import { siteConfig } from '../test/support/site-config.ts'
import { median } from './support/statistics.ts'

/** Of this thread, because others share the machine. */
const processorUs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

const OPERATIONS = 500
const REQUESTS = 50_000
const ROUNDS = 7

const parameters = Array.from({ length: 10 }, (_, index) => ({
  name: `p${index}`,
  in: 'query',
  schema:
    index % 2 === 0
      ? { type: 'integer', minimum: 0 }
      : { type: 'string', maxLength: 40, pattern: '^[a-z0-9-]+$' },
}))
const item = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    name: { type: 'string', minLength: 1, maxLength: 80 },
    count: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
  },
}
const responses = { 200: { description: '' } }
const paths = Object.fromEntries(
  Array.from({ length: OPERATIONS / 2 }, (_, index) => [
    `/area${index % 25}/things${index}/{id}/parts/{part}`,
    {
      parameters: ['id', 'part'].map((name) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'integer' },
      })),
      get: { parameters, responses },
      post: {
        requestBody: { content: { 'application/json': { schema: { type: 'array', items: item } } } },
        responses,
      },
    },
  ]),
)
const { table, operations } = compileDefinition({ openapi: '3.1.0', info: {}, paths })
const config: SiteConfig = {
  ...siteConfig({ id: 'bench', orgId: 'bench', gatedName: 'bench.gate.localhost' }, 1),
  definition: { id: 'bench', table },
  firewall: {
    mode: 'off',
    overrides: [],
    exclusions: [],
    definition: { mode: 'observe', undeclaredParameters: true },
  },
}
const site = { config, lists: () => true, templateOf: () => undefined }
const without = {
  config: siteConfig({ id: 'without', orgId: 'bench', gatedName: 'without.gate.localhost' }, 1),
  lists: () => true,
  templateOf: () => undefined,
}
const rawHeaders = Array.from({ length: 15 }, (_, index) => [`X-Header-${index}`, `value ${index}`]).flat()
// The stage asks nothing of the snapshot.
const snapshot = {} as Snapshot

const targetOf = (index: number): string =>
  `/area${(index % 250) % 25}/things${index % 250}/${index}/parts/${index * 7}?${parameters.map(({ name }, at) => `${name}=${at % 2 === 0 ? index : `text-${index}`}`).join('&')}`

const exchangeOf = (index: number, method: string, ofSite: typeof site | typeof without): Exchange => {
  const request: ReceivedRequest = {
    method,
    target: targetOf(index),
    headers: blockOf(method === 'POST' ? [...rawHeaders, 'Content-Type', 'application/json'] : rawHeaders),
    rawHeaders: method === 'POST' ? [...rawHeaders, 'Content-Type', 'application/json'] : rawHeaders,
    httpVersion: '1.1',
    host: 'bench.gate.localhost',
    hostPort: '',
    secure: false,
    clientAddress: '127.0.0.1',
    bodyBytes: method === 'POST' ? null : 0,
    websocket: false,
    key: '',
    cookies: [],
    accept: '',
  }
  const exchange = new Exchange(request, snapshot, emptyEvent(), 0)
  exchange.site = ofSite
  return exchange
}

function measureHeads(ofSite: typeof site | typeof without): number {
  const exchanges = Array.from({ length: REQUESTS }, (_, index) => exchangeOf(index, 'GET', ofSite))
  const begunUs = processorUs()
  for (const exchange of exchanges) judgeDefinition(exchange)
  const tookUs = processorUs() - begunUs
  const violated = exchanges.filter(({ event }) => event.hits.length > 0).length
  if (violated > 0) throw new Error(`${violated} requests were found to violate the definition`)
  return tookUs / REQUESTS
}

async function measureBodies(bytes: number): Promise<number> {
  const one = { id: '0f8fad5b-d9cb-469f-a165-70867728950e', name: 'a thing', count: 7, tags: ['a', 'b'] }
  const items = Array.from({ length: Math.ceil(bytes / JSON.stringify(one).length) }, () => one)
  const body = Buffer.from(JSON.stringify(items))
  const count = REQUESTS / 50
  const exchanges = Array.from({ length: count }, (_, index) => exchangeOf(index, 'POST', site))
  for (const exchange of exchanges) judgeDefinition(exchange)
  const begunUs = processorUs()
  for (const { bodyInspection } of exchanges) await bodyInspection?.inspect(body, true)
  return (processorUs() - begunUs) / count
}

const rounds: Record<string, number[]> = { off: [], head: [], 'body of 1 KB': [], 'body of 20 KB': [] }
for (let round = 0; round <= ROUNDS; round++) {
  const measured = {
    off: measureHeads(without),
    head: measureHeads(site),
    'body of 1 KB': await measureBodies(1_000),
    'body of 20 KB': await measureBodies(20_000),
  }
  // The first is for V8 to compile what runs.
  if (round > 0) for (const [name, us] of Object.entries(measured)) rounds[name]?.push(us)
}
const begunUs = processorUs()
readTable(table)
console.log(
  `${operations} operations, ${Buffer.byteLength(table)} bytes, read in ${((processorUs() - begunUs) / 1_000).toFixed(1)} ms`,
)
for (const [name, list] of Object.entries(rounds))
  console.log(name.padEnd(16), `${median(list).toFixed(3)} µs a request`)
