/** That caches and lists keep what they note of a head, and not the head. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parseRequestHead, readResponseHead } from '@sallyport/http1'
import { readRequest } from '../../src/downstream/read-request.ts'
import { Exchange, type ReceivedRequest } from '../../src/exchange/exchange.ts'
import { RecentRequests } from '../../src/gate-host/recent-requests.ts'
import { blockOf } from '../../src/headers/header-block.ts'
import { draftEvent } from '../../src/serve/draft-event.ts'
import { DEFAULT_GATEWAY_LIMITS } from '../../src/settings.ts'
import { CompiledSnapshot } from '../../src/snapshot/compile.ts'
import { responseHeaders } from '../../src/upstream/forward/headers/response-headers.ts'
import { HOST } from '../support/test-data-plane.ts'

const HEADS = 300
const HEAD_CHARS = 60 * 1024
/** Half of what it would be if each head were held. */
const HELD_MAX = (HEADS * HEAD_CHARS) / 2

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
function liveBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

const PEER = { clientAddress: '127.0.0.1', secure: false, serverName: '', tls: '' }
const ORIGIN = { scheme: 'http', host: '127.0.0.1', port: 80 } as const

/** A text as it comes off a connection: one long string, of which everything is a part. */
const received = (...lines: string[]): string => Buffer.from(lines.join('\r\n')).toString('latin1')
const filling = (length: number): string => `X-Filling: ${'f'.repeat(length)}`

function readHead(index: number): { request: ReceivedRequest; userAgent: string } {
  const head = parseRequestHead(
    received(
      `GET /a/target/of/its/own/${index} HTTP/1.1`,
      `Host: ${HOST}`,
      `X-Header-Of-Its-Own-${index}: 1`,
      `User-Agent: a client of its own ${index}`,
      filling(HEAD_CHARS),
    ),
    null,
    blockOf,
  )
  return readRequest(head, PEER, DEFAULT_GATEWAY_LIMITS)
}

test('the heads of requests and of answers are let go', () => {
  const recent = new RecentRequests()
  const snapshot = CompiledSnapshot.empty()
  const note = (index: number): void => {
    const { request, userAgent } = readHead(index)
    const event = draftEvent(request, userAgent, '', 'gateway-1')
    event.researcherId = `researcher-${index}`
    event.siteId = 'site-1'
    recent.note(new Exchange(request, snapshot, event, 0))
    const { head } = readResponseHead(
      received('HTTP/1.1 200 OK', `X-Answer-Of-Its-Own-${index}: 1`, filling(HEAD_CHARS)),
    )
    assert.equal(responseHeaders(head, request, { origin: ORIGIN }).rawHeaders.length, 4)
  }
  note(0)
  const before = liveBytes()
  for (let index = 1; index <= HEADS; index += 1) note(index)
  const held = liveBytes() - before
  assert.ok(held < HELD_MAX, `${held} bytes are held`)
  assert.equal(recent.list('researcher-1', 'site-1')[0]?.target, '/a/target/of/its/own/1')
})
