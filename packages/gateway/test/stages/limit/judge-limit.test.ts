import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RateLimitPolicy } from '@sallyport/contract'
import { openGate } from '../../support/open-gate.ts'
import {
  gateRequest,
  KEY,
  type RawAnswer,
  request,
  researcher,
  sendRaw,
} from '../../support/test-data-plane.ts'
import { ASKED, SWITCHED } from '../../support/websocket.ts'

const HOUR = 3_600_000

test('the limit bites at exactly its number, and says what is left', async (context) => {
  const policy: RateLimitPolicy = {
    name: 'small',
    site: { kind: 'fixed', limit: 3, windowMs: HOUR },
    perResearcher: { kind: 'bucket', limit: 10, refill: 1, windowMs: HOUR },
  }
  const gate = await openGate(context, { rateLimit: 'small' }, policy)
  const answers: RawAnswer[] = []
  for (let index = 0; index < 5; index += 1) answers.push(await gate.send('GET /'))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 429, 429],
  )
  assert.equal(gate.seen.length, 3)
  const first = answers[0]?.text ?? ''
  assert.match(first, /\r\nRateLimit-Policy: "small";q=3;w=3600, "small-researcher";q=10;w=36000\r\n/i)
  assert.match(first, /\r\nRateLimit: "small";r=2;t=\d+, "small-researcher";r=9;t=\d+\r\n/i)
  const last = answers[4]?.text ?? ''
  assert.match(last, /\r\nRetry-After: \d+\r\n/i)
  assert.match(last, /\r\nRateLimit: "small";r=0;t=\d+/i)
  const event = (await gate.recorder.waitFor(5))[4]
  assert.deepEqual([event?.outcome, event?.reason, event?.rule], ['limit', 'rate_limit', 'small'])
})

test('the researcher is told what is left, and asking for it uses nothing up', async (context) => {
  const policy: RateLimitPolicy = {
    name: 'small',
    site: { kind: 'fixed', limit: 30, windowMs: HOUR },
    perResearcher: { kind: 'sliding', limit: 5, windowMs: HOUR, segments: 4 },
  }
  const gate = await openGate(context, { rateLimit: 'small' }, policy)
  const left = async () => {
    const { text } = await sendRaw(
      gate.port,
      gateRequest('GET /api/sites/site-1/budget', `Sallyport-Key: ${KEY}`),
    )
    const { limits } = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))
    return limits.map((limit: { applies: string; remaining: number; resetMs: number }) => [
      limit.applies,
      limit.remaining,
      limit.resetMs > 0 && limit.resetMs <= 1.25 * HOUR,
    ])
  }
  const untouched = [
    ['researcher', 5, false],
    ['site', 30, false],
  ]
  assert.deepEqual(await left(), untouched)
  assert.deepEqual(await left(), untouched)
  await gate.send('GET /')
  await gate.send('GET /')
  assert.deepEqual(await left(), [
    ['researcher', 3, true],
    ['site', 28, true],
  ])
})

test("a researcher's share is used up without the others'", async (context) => {
  const share = { kind: 'sliding', limit: 1, windowMs: HOUR, segments: 4 } as const
  const gate = await openGate(
    context,
    { rateLimit: 'p' },
    { name: 'p', site: { ...share, limit: 100 }, perResearcher: share },
  )
  gate.snapshots.putResearcher(researcher({ id: 'researcher-2', keyHashes: ['0'.repeat(64)] }))
  assert.equal((await gate.send('GET /')).status, 200)
  assert.equal((await gate.send('GET /')).status, 429)
  const event = (await gate.recorder.waitFor(2))[1]
  assert.equal(event?.reason, 'researcher_share')
})

test('a place of a concurrency limit is given back when its request is over', async (context) => {
  const gate = await openGate(
    context,
    { rateLimit: 'p' },
    { name: 'p', site: { kind: 'concurrency', limit: 2 }, perResearcher: null },
  )
  const slow = [gate.send('GET /slow'), gate.send('GET /slow')]
  while (gate.seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal((await gate.send('GET /')).status, 429)
  await Promise.all(slow)
  const after = await gate.send('GET /')
  assert.equal(after.status, 200)
  assert.match(after.text, /RateLimit-Policy: "p";q=2;qu="concurrent-requests"\r\n/i)
})

test('the answer that opens a WebSocket says what is left of the limit', async (context) => {
  const gate = await openGate(
    context,
    { rateLimit: 'p' },
    { name: 'p', site: { kind: 'concurrency', limit: 2 }, perResearcher: null },
    (socket) => socket.end(SWITCHED),
  )
  const { text } = await sendRaw(gate.port, request('GET /socket', ...ASKED))
  assert.match(text, /^HTTP\/1\.1 101 [\s\S]*\r\nRateLimit: "p";r=1;t=\d+\r\n/)
})
