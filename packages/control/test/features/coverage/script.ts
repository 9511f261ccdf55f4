/** A script of requests that knows what it sends: every verdict, two researchers and a stranger, operations known and not. */
import type { TrafficEvent, VerdictWord } from '@sallyport/contract'
import { event, hit } from '../../support/traffic.ts'

const OK = { 200: { description: 'There it is.' } }

export const DEFINITION = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://shop.example.com/v1' }],
  components: {
    parameters: { page: { name: 'page', in: 'query', schema: { type: 'integer' } } },
    schemas: { Order: { type: 'object', properties: { note: { type: 'string' } } } },
  },
  paths: {
    '/orders': {
      get: { parameters: [{ $ref: '#/components/parameters/page' }], responses: OK },
      post: {
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
        },
        responses: OK,
      },
    },
    '/orders/{orderId}': {
      parameters: [{ name: 'orderId', in: 'path', required: true, schema: { type: 'integer' } }],
      get: { responses: OK },
      delete: { responses: OK },
    },
    '/orders/export': { get: { responses: OK } },
    '/reports/{name}.pdf': { get: { responses: OK } },
    '/untouched': { get: { responses: OK } },
  },
}

const SKIPPED = { inspection: 'skipped' } as const

/** What becomes of a request, with the verdict that it must have. */
const ENDINGS: readonly (Pick<TrafficEvent, 'outcome' | 'status' | 'reason' | 'rule'> & {
  readonly verdict: VerdictWord
  /** Absent where the firewall looked. */
  readonly inspection?: TrafficEvent['inspection']
})[] = [
  { verdict: 'reached', outcome: 'origin', status: 200, reason: '', rule: '' },
  { verdict: 'reached', outcome: 'origin', status: 302, reason: '', rule: '' },
  { verdict: 'server_error', outcome: 'origin', status: 500, reason: '', rule: '' },
  { verdict: 'refused_by_origin', outcome: 'origin', status: 401, reason: '', rule: '' },
  { verdict: 'refused_by_origin', outcome: 'origin', status: 403, reason: '', rule: '' },
  { verdict: 'refused_by_origin', outcome: 'origin', status: 405, reason: '', rule: '' },
  { verdict: 'throttled_by_origin', outcome: 'origin', status: 429, reason: '', rule: '' },
  { verdict: 'unanswered', outcome: 'gate', status: 504, reason: 'origin_timeout', rule: '' },
  { verdict: 'refused_by_origin', outcome: 'origin', status: 400, reason: '', rule: '' },
  { verdict: 'reached', outcome: 'origin', status: 101, reason: 'client_aborted', rule: '' },
  { verdict: 'server_error', outcome: 'origin', status: 999, reason: 'origin_aborted', rule: '' },
  { verdict: 'unanswered', outcome: 'origin', status: 0, reason: '', rule: '' },
  { verdict: 'unanswered', outcome: 'gate', status: 0, reason: 'client_aborted', rule: '' },
  { verdict: 'unanswered', outcome: 'interrupted', status: 0, reason: '', rule: '' },
  { verdict: 'throttled', ...SKIPPED, outcome: 'limit', status: 429, reason: 'rate_limit', rule: 'standard' },
  { verdict: 'firewall', outcome: 'firewall', status: 403, reason: 'firewall', rule: 'crs-942-100' },
  {
    verdict: 'definition',
    outcome: 'firewall',
    status: 403,
    reason: 'definition',
    rule: 'definition-method',
  },
  { verdict: 'block', ...SKIPPED, outcome: 'block', status: 403, reason: 'block_rule', rule: 'rule-1' },
  { verdict: 'gate', ...SKIPPED, outcome: 'gate', status: 503, reason: 'site_closed', rule: '' },
  // After the firewall had looked at what there was.
  { verdict: 'gate', outcome: 'gate', status: 413, reason: 'body_too_large', rule: '' },
  { verdict: 'unanswered', ...SKIPPED, outcome: 'gate', status: 502, reason: 'origin_unreachable', rule: '' },
]

/** Requests, as route and path, with the operation of the definition that each is one of. */
const PLACES = [
  { method: 'GET', route: '/v1/orders', path: '/v1/orders', template: '/v1/orders' },
  { method: 'POST', route: '/v1/orders', path: '/v1/orders', template: '/v1/orders' },
  { method: 'GET', route: '/v1/orders/{id}', path: '/v1/orders/7', template: '/v1/orders/{orderId}' },
  { method: 'GET', route: '/v1/orders/{orderId}', path: '/v1/orders/8', template: '/v1/orders/{orderId}' },
  { method: 'GET', route: '/v1/orders/export', path: '/v1/orders/export', template: '/v1/orders/export' },
  { method: 'DELETE', route: "/v1/orders/1'or", path: "/v1/orders/1'or", template: '/v1/orders/{orderId}' },
  {
    method: 'GET',
    route: '/v1/reports/x.pdf',
    path: '/v1/reports/x.pdf',
    template: '/v1/reports/{name}.pdf',
  },
  { method: 'PATCH', route: '/v1/orders', path: '/v1/orders', template: '/v1/orders' },
  { method: 'GET', route: '/orders', path: '/orders', template: undefined },
  { method: 'GET', route: '/v1/orders/7/lines', path: '/v1/orders/7/lines', template: undefined },
] as const

const HITS: readonly TrafficEvent['hits'][] = [
  [],
  [hit()],
  [hit(), hit({ rule: 'sqr-000-001' })],
  [hit({ parameter: 'page' }), hit({ parameter: 'sort' }), hit({ class: 'xss', parameter: 'sort' })],
  [hit({ excluded: true })],
  [hit({ class: 'definition', rule: 'definition-parameter-type', parameter: 'page' })],
  [hit({ class: 'lfi', part: 'path', parameter: '' })],
  [hit({ class: 'ssrf', part: 'body', parameter: 'note.url' })],
  [hit({ class: 'of_their_own', part: 'header', parameter: 'x-api' })],
]

export interface ScriptedRequest {
  readonly event: TrafficEvent
  readonly template: string | undefined
  readonly verdict: VerdictWord
  /** Classes that were tried, each once. */
  readonly classes: readonly string[]
  readonly isUninspected: boolean
}

export interface ScriptOptions {
  readonly requests: number
  readonly orgId: string
  readonly siteId: string
  readonly researchers: readonly string[]
  /** The requests lie in this long before `endMs`. */
  readonly spanMs: number
  readonly endMs: number
}

const HOUR_MS = 3_600_000

/** Some at the first or last millisecond of an hour, and so of days. */
function onAnEdge(time: number, index: number): number {
  const hour = Math.floor(time / HOUR_MS) * HOUR_MS
  if (index % 13 === 0) return hour
  return index % 13 === 1 ? hour - 1 : time
}

/** The same requests each time, in an order and mixture that has no pattern. */
export function script(options: ScriptOptions): ScriptedRequest[] {
  let state = 1
  const pick = <Item>(items: readonly Item[]): Item => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    const item = items[Math.floor((state / 2 ** 32) * items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }
  const { orgId, siteId, spanMs, endMs, requests } = options
  return Array.from({ length: requests }, (_, index) => {
    const { template, ...place } = pick(PLACES)
    const { verdict, ...ending } = pick(ENDINGS)
    const hits = pick(HITS)
    const time = onAnEdge(endMs - Math.floor((spanMs * index) / requests), index)
    return {
      event: event({
        ...place,
        inspection: 'full',
        kind: index % 17 === 0 ? 'websocket_open' : 'request',
        ...ending,
        ...{ orgId, siteId, hits, time, target: place.path, researcherId: pick(options.researchers) },
      }),
      template,
      verdict,
      classes: [
        ...new Set(hits.filter((one) => !one.excluded && one.class !== 'definition').map((one) => one.class)),
      ],
      isUninspected: ending.inspection === 'skipped' && verdict !== 'unanswered',
    }
  })
}
