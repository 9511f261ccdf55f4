/** Requests through the real data plane to an origin that records raw bytes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRawOrigin } from '../../support/raw-origin.ts'
import { HOST, KEY, sendRaw, startTestDataPlane } from '../../support/test-data-plane.ts'

test('a stranger is refused, a researcher gets through, and both are recorded', async (context) => {
  const origin = await startRawOrigin(context)
  const { port, recorder, send } = await startTestDataPlane(context, origin.port)
  const stranger = await sendRaw(port, `GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
  assert.equal(stranger.status, 401)
  assert.equal(origin.connections, 0)
  const admitted = await send('GET /a?b=%2e')
  assert.equal(admitted.status, 200)
  assert.match(admitted.text, /\r\n\r\nok$/)
  const events = await recorder.waitFor(2)
  assert.deepEqual(
    events.map(({ outcome, status, reason, researcherId }) => ({ outcome, status, reason, researcherId })),
    [
      { outcome: 'gate', status: 401, reason: 'no_credential', researcherId: '' },
      { outcome: 'origin', status: 200, reason: '', researcherId: 'researcher-1' },
    ],
  )
  assert.equal(recorder.intents.length, 1)
})

test('the head reaches the origin as sent, but for what concerns the hop and what is ours', async (context) => {
  const origin = await startRawOrigin(context)
  const { port } = await startTestDataPlane(context, origin.port)
  const answer = await sendRaw(
    port,
    [
      'GET /%7Euser/../x//y?q=%zz HTTP/1.1',
      'X-First: 1',
      `host: ${HOST}`,
      `SALLYPORT-key: ${KEY}`,
      'x-MiXed: A',
      'X_Forwarded_For: 1.2.3.4',
      'x-forwarded-proto: gopher',
      'FORWARDED: for=evil',
      'X.Forwarded.Host: evil',
      "X'Forwarded~Port: 1.2.3.4",
      'Sallyport!Gated*Name: forged',
      'Sallyport_Assertion: forged',
      'Connection: keep-alive, X-Hop',
      'X-Hop: dropped',
      'Cookie: a=1; __Host-sallyport=stolen; b=2',
      `Referer: http://${HOST}/page`,
      'X-Empty:',
      'x-MiXed: B',
      '',
      '',
    ].join('\r\n'),
  )
  assert.equal(answer.status, 200)
  const lines = (origin.received[0] ?? '').split('\r\n')
  const ours = lines.findIndex((line) => line.startsWith('X-Forwarded-For:'))
  assert.deepEqual(lines.slice(0, ours), [
    'GET /%7Euser/../x//y?q=%zz HTTP/1.1',
    'X-First: 1',
    `host: 127.0.0.1:${origin.port}`,
    'x-MiXed: A',
    'Cookie: a=1; b=2',
    `Referer: http://127.0.0.1:${origin.port}/page`,
    'X-Empty: ',
    'x-MiXed: B',
  ])
  assert.match(lines[ours] ?? '', /^X-Forwarded-For: 127\.0\.0\.1$/)
  assert.ok(!lines.some((line) => /evil|forged|gopher|1\.2\.3\.4|X-Hop/.test(line)))
})
