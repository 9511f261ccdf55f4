/**
 * 20,000 hostile requests made by a grammar, over HTTP/1.1 and HTTP/2, towards an origin that keeps raw bytes: it never sees
 * a request that is not in the record, nor one that a block rule forbids however it may be read, nor the credential.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { blockRule } from '../../../../test/support/block-rule.ts'
import { KNOWN_ORIGINS } from '../../../policy/test/paths/model-origins.ts'
import { until } from '../record/support.ts'
import { startHttp2DataPlane } from '../support/http2/http2-client.ts'
import { sendStreams } from '../support/http2/raw-http2.ts'
import { OK, type RawOrigin, startRawOrigin } from '../support/raw-origin.ts'
import { http1Scripts, http2Requests, METHOD_HEADERS, TARGET_HEADERS } from '../support/request-grammar.ts'
import { parseStrictly, type StrictRequest, valuesOf } from '../support/strict-requests.ts'
import { HOST, KEY, startTestDataPlane, type TestDataPlane } from '../support/test-data-plane.ts'

const HTTP1_CONNECTIONS = 14_000
const HTTP2_REQUESTS = 6_000
/** One bad stream may end its connection: few on one, so that most are judged; many, so that what follows the bad one is tried. */
const STREAMS_PER_CONNECTION = [4, 20]
const AT_ONCE = 64
const ANSWERED_WITHIN_MS = 40
const CONNECTION_MS_MAX = 3_000

const RULES = {
  site: {
    blockRules: [blockRule('no-admin', '/admin'), blockRule('no-delete', '/', { methods: ['DELETE'] })],
  },
}

/** Sends a script, and waits until the gate closes; a half-close ends what leaves it waiting for more, and what is under way. */
function send(port: number, script: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const timer = setTimeout(() => socket.destroy(), CONNECTION_MS_MAX)
    socket.resume()
    socket.on('end', () => socket.destroy())
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
    socket.write(Buffer.from(script, 'latin1'))
    setTimeout(() => socket.end(), ANSWERED_WITHIN_MS)
  })
}

/** Works through `items`, so many at once. */
async function eachOf<Item>(
  items: Iterable<Item>,
  atOnce: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]()
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await act(next.value)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** Whether any origin that obeys its headers may take the request for one under a rule. */
function isForbidden({ line, headers }: StrictRequest): boolean {
  const [method = '', target = ''] = line.split(' ')
  const methods = [
    method,
    ...METHOD_HEADERS.flatMap((name) => valuesOf(headers, name)).flatMap((list) => list.split(',')),
  ]
  if (methods.some((name) => name.trim().toUpperCase() === 'DELETE')) return true
  const targets = [target, ...TARGET_HEADERS.flatMap((name) => valuesOf(headers, name))]
  return targets.some((text) => KNOWN_ORIGINS.some((origin) => origin.resolve(text)[0] === 'admin'))
}

async function checkOrigin(origin: RawOrigin, { recorder }: TestDataPlane): Promise<number> {
  const isWhole = (): boolean => {
    const ids = new Set(recorder.events.map(({ id }) => id))
    return recorder.intents.every(({ id }) => ids.has(id))
  }
  await until(isWhole, 'the record of each intent')
  const recorded = new Map(recorder.events.map((event) => [event.id, event]))
  const seen = new Set<string>()
  for (const received of origin.received)
    for (const request of parseStrictly(received)) {
      const { line, headers } = request
      const [id = ''] = valuesOf(headers, 'sallyport-request-id')
      const event = recorded.get(id)
      assert.ok(event, `not in the record: ${line}\n${headers.join('\n')}`)
      assert.ok(!seen.has(id), `twice at the origin: ${line}`)
      seen.add(id)
      assert.equal(line, `${event.method} ${event.target} HTTP/1.1`)
      assert.ok(!isForbidden(request), `forbidden at the origin: ${line}\n${headers.join('\n')}`)
      assert.ok(
        !headers.some((header) => header.includes(KEY) || /^x-smuggled:/i.test(header)),
        headers.join('\n'),
      )
    }
  return seen.size
}

test('over HTTP/1.1', async (context) => {
  const origin = await startRawOrigin(context, (socket) => socket.write(OK))
  const dataPlane = await startTestDataPlane(context, origin.port, RULES)
  await eachOf(http1Scripts(HTTP1_CONNECTIONS, 17), AT_ONCE, (script) => send(dataPlane.port, script))
  const seen = await checkOrigin(origin, dataPlane)
  const { events } = dataPlane.recorder
  const count = (reason: string): number => events.filter((event) => event.reason === reason).length
  context.diagnostic(
    `${events.length} recorded, ${seen} at the origin, ${count('block_rule')} blocked, ${count('malformed_request')} malformed`,
  )
  assert.ok(events.length >= HTTP1_CONNECTIONS)
  assert.ok(
    seen > 500 && count('block_rule') > 500 && count('malformed_request') > 500,
    'else it would prove little',
  )
})

test('over HTTP/2', async (context) => {
  const origin = await startRawOrigin(context, (socket) => socket.write(OK))
  const dataPlane = await startHttp2DataPlane(context, origin.port, RULES)
  const port = dataPlane.dataPlane.https?.port ?? 0
  const groups = STREAMS_PER_CONNECTION.flatMap((streams, index) => {
    const made = [...http2Requests(HTTP2_REQUESTS / STREAMS_PER_CONNECTION.length, 18 + index)]
    return Array.from({ length: made.length / streams }, (_, group) =>
      made.slice(group * streams, (group + 1) * streams),
    )
  })
  await eachOf(groups, AT_ONCE, (streams) => sendStreams(port, HOST, streams))
  const seen = await checkOrigin(origin, dataPlane)
  const { events } = dataPlane.recorder
  context.diagnostic(`${events.length} recorded, ${seen} at the origin`)
  assert.ok(seen > 100, 'else it would prove little')
})
