/**
 * Whatever an origin sends, the researcher gets one answer that is framed well, or 502, and the next request its own: with a site that takes
 * answers as browsers do, and with one that does not.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { OK, startRawOrigin } from '../support/raw-origin.ts'
import { request, startTestDataPlane } from '../support/test-data-plane.ts'

const LENIENT = { takesLenientAnswers: true }

for (const [what, answer, wanted] of [
  [
    'line feeds',
    'HTTP/1.1 200 OK\nX-A: b\nContent-Length: 2\n\nok',
    /^HTTP\/1\.1 200 OK\r\nX-A: b\r\nContent-Length: 2\r\n[\s\S]*\r\n\r\nok$/,
  ],
  [
    'a folded line',
    'HTTP/1.1 200 OK\r\nX-A: b\r\n  c\r\nContent-Length: 2\r\n\r\nok',
    /\r\nX-A: b c\r\n[\s\S]*\r\n\r\nok$/,
  ],
  [
    'no head',
    'hello',
    /^HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain\r\n[\s\S]*\r\n\r\n5\r\nhello\r\n0\r\n\r\n$/,
  ],
] as const)
  test(`an answer with ${what} is malformed at once, or framed anew where the site says so`, async (context) => {
    const origin = await startRawOrigin(context, (socket) => {
      socket.write(answer)
      if (answer === 'hello') socket.end()
    })
    for (const [site, status] of [
      [LENIENT, 200],
      [{}, 502],
    ] as const) {
      const gate = await startTestDataPlane(context, origin.port, { site })
      const before = origin.connections
      const got = await gate.send('GET /')
      assert.equal(got.status, status)
      if (status === 200) assert.match(got.text, wanted)
      const [event] = await gate.recorder.waitFor(1)
      assert.equal(event?.reason, status === 200 ? '' : 'origin_malformed')
      await gate.send('GET /')
      assert.equal(origin.connections - before, 2, 'its connection carries nothing more')
    }
  })

const CASES = 200
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'HTTP/1.1 200 OK',
      'HTTP/1.0 200 OK',
      'HTTP/1.1 100 Continue',
      'HTTP/1.1 304 x',
      'HTTP/1.1 200 EVIL',
      'ICY 200 OK',
    ),
  },
  {
    weight: 10,
    arbitrary: fc.constantFrom('\r\n', '\n', '\r\n\r\n', '\n\n', '\n\r\n', '\r\n ', '\n\t', '\r'),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'Content-Length: 4',
      'Content-Length: 0',
      'Content-Length:\n 4',
      'Transfer-Encoding: chunked',
      'X: y',
      'X : y',
      'Connection: keep-alive',
    ),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'evil',
      '4\r\nevil\r\n0\r\n\r\n',
      '4\nevil\n0\n\n',
      'HTTP/1.1 200 EVIL\r\nContent-Length: 4\r\n\r\nevil',
      '\0',
    ),
  },
)

/**
 * The status of what a client got; throws where that is anything but heads of 1xx and the beginning of one answer, or all of it and nothing
 * else.
 */
function statusOf(text: string): number {
  const end = text.indexOf('\r\n\r\n')
  assert.ok(end > 0, 'no head')
  const head = text.slice(0, end)
  assert.doesNotMatch(head, /[\0]|\r(?!\n)|(?<!\r)\n|\n[\t ]/)
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
  const body = text.slice(end + 4)
  if (status < 200) return statusOf(body)
  const length = /^Content-Length: (\d+)$/im.exec(head)?.[1]
  if (status === 304) assert.equal(body, '')
  else if (length !== undefined) assert.ok(body.length <= Number(length))
  else assert.match(body, /^(?:[0-9a-f]+\r\n[\s\S]*)?$/)
  if (length === undefined && status !== 304) walkChunks(body)
  return status
}

function walkChunks(body: string): void {
  const line = /^([0-9a-f]+)\r\n/.exec(body)
  if (!line) return
  const bytes = Number.parseInt(line[1] ?? '', 16)
  if (bytes === 0) {
    assert.equal(body, '0\r\n\r\n')
    return
  }
  const rest = body.slice(line[0].length + bytes)
  assert.ok(rest === '' || rest.startsWith('\r\n'), 'a chunk is longer than it says')
  walkChunks(rest.slice(2))
}

async function ask(port: number, target: string, waitMs: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let got = ''
  socket.on('data', (chunk: Buffer) => {
    got += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  socket.write(request(`GET ${target}`, 'Connection: close'))
  const timer = setTimeout(() => socket.destroy(), waitMs)
  await once(socket, 'close')
  clearTimeout(timer)
  return got
}

for (const [how, site] of [
  ['leniently', LENIENT],
  ['strictly', {}],
] as const)
  test(`whatever comes, read ${how}: one answer or 502, and the next is its own`, async (context) => {
    let present = { text: '', ends: false }
    const origin = await startRawOrigin(context, (socket, head) => {
      if (head.startsWith('GET /next ')) socket.write(OK)
      else if (present.ends) socket.end(present.text, 'latin1')
      else socket.write(present.text, 'latin1')
    })
    const gate = await startTestDataPlane(context, origin.port, { site })
    const cases = fc.tuple(fc.array(piece, { maxLength: 10 }), fc.boolean(), fc.boolean())
    for (const [pieces, isHeaded, ends] of fc.sample(cases, { numRuns: CASES, seed: 2_072 })) {
      const text = (isHeaded ? 'HTTP/1.1 200 OK\r\n' : '') + pieces.join('')
      present = { text, ends }
      // Where the origin does not end, there may be no end.
      const got = await ask(gate.port, '/', ends ? 5_000 : 50)
      const what = JSON.stringify({ text, got })
      if (ends) assert.notEqual(got, '', what)
      if (got !== '') assert.ok([200, 304, 404, 502].includes(statusOf(got)), what)
      assert.match(
        await ask(gate.port, '/next', 5_000),
        /^HTTP\/1\.1 200 OK\r\nContent-Length: 2\r\n[\s\S]*\r\n\r\nok$/,
        what,
      )
    }
  })
