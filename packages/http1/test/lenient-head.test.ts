/** Heads as browsers take them: what is regular is read as ever, the rest becomes regular, and nothing follows it on its connection. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertCostRatio } from '../../../test/support/processor-time.ts'
import { FramingError, type ResponseHead, ResponseParser, TruncatedError } from '../src/index.ts'
import { IGNORED } from './ignored-response.ts'

/** What a parser makes of a response that comes in pieces, on a connection that has carried `before` already. */
function read(text: string, { cuts = [] as number[], lenient = true, method = 'GET', before = '' } = {}) {
  const parser = new ResponseParser(64 * 1024)
  const seen = { heads: [] as ResponseHead[], body: '' }
  if (before !== '') {
    parser.begin('GET', false, IGNORED, lenient)
    parser.execute(Buffer.from(before))
    assert.ok(parser.idle)
  }
  const handler = {
    ...IGNORED,
    onInformation: (head: ResponseHead) => void seen.heads.push(head),
    onHead: (head: ResponseHead) => void seen.heads.push(head),
    onData: (bytes: Buffer) => {
      seen.body += bytes.toString('latin1')
    },
  }
  parser.begin(method, false, handler, lenient)
  const bytes = Buffer.from(text, 'latin1')
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  for (const [index, end] of places.entries()) {
    const piece = Buffer.from(bytes.subarray(places[index - 1] ?? 0, end))
    if (piece.length > 0 && !parser.idle) parser.execute(piece)
  }
  if (!parser.idle) parser.finish()
  const { status, rawHeaders } = seen.heads.at(-1) ?? { status: 0, rawHeaders: [] }
  return { status, rawHeaders, body: seen.body, heads: seen.heads.length, reusable: parser.reusable }
}

const REGULAR =
  'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nServer: a\r\nX-B: c d\r\nContent-Length: 5\r\n\r\n'
const BODY = 'a\r\n\nb'
const places = fc.array(fc.nat(), { maxLength: 8 })

test('lines may end at LF, here and there, however the bytes are cut: the parts are the same', () => {
  const wanted = read(REGULAR + BODY, { lenient: false })
  fc.assert(
    fc.property(fc.infiniteStream(fc.boolean()), places, (choices, cuts) => {
      const head = REGULAR.replace(/\r\n/g, () => (choices.next().value ? '\n' : '\r\n'))
      assert.deepEqual(read(head + BODY, { cuts }), wanted)
    }),
  )
})

test('a regular head leaves its connection as it was, and one that is not ends it', () => {
  const one = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx'
  assert.equal(read(one).reusable, true)
  for (const end of [2, 3, 4].map((nth) =>
    one.replace(new RegExp(`((?:[\\s\\S]*?\r\n){${nth - 1}}[\\s\\S]*?)\r\n`), '$1\n'),
  ))
    assert.equal(read(end.replace(/\r\n/, '\n')).reusable, false, JSON.stringify(end))
  assert.equal(read(one.replace('\r\n\r\n', '\r\n\n')).reusable, false)
  assert.equal(read(one.replace('\r\n\r\n', '\n\r\n')).reusable, false)
})

test('folded lines become one, with a space in place of each fold', () => {
  const { rawHeaders, body, reusable } = read(
    'HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\n\t three\r\nX-B:\r\n four\nContent-Length: 2\r\n\r\nok',
  )
  assert.deepEqual(rawHeaders, ['X-A', 'one two three', 'X-B', 'four', 'Content-Length', '2'])
  assert.deepEqual([body, reusable], ['ok', false])
})

test('without a head all is body, as text, until the end of the connection', () => {
  for (const text of ['hello\r\n\r\nworld', 'HELLO', '\0', '<h1>x</h1>\n\n', 'hTML']) {
    const { status, rawHeaders, body, reusable } = read(text, { cuts: [1, 2, 3] })
    assert.deepEqual([status, rawHeaders, body, reusable], [200, ['Content-Type', 'text/plain'], text, false])
  }
})

test('nothing is taken for HTTP/0.9 that could be left over, or cannot be', () => {
  const before = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx'
  assert.throws(() => read('hello\r\n\r\n', { before }), FramingError)
  assert.throws(() => read('HTTP/1.1 100 Continue\r\n\r\nhello\r\n\r\n'), FramingError)
  assert.throws(() => read('hello\r\n\r\n', { method: 'HEAD' }), FramingError)
  assert.throws(() => read('hello\r\n\r\n', { method: 'POST' }), FramingError)
  assert.throws(() => read('HT'), TruncatedError)
})

test('what is wrong in any other way stays wrong', () => {
  for (const head of [
    'HTTP/2 200 OK\r\n\r\n',
    'HTTP/1.1 200 OK\n folded: first\n\n',
    'HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 2\n\nxy',
    'HTTP/1.1 200 OK\nContent-Length: 1\n ,2\n\nxy',
    'HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Length: 1\n\n',
    'HTTP/1.1 200 OK\nTransfer-Encoding:\n chunked, gzip\n\n',
    'HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1\nx\n0\n\n',
    'HTTP/1.1 200 OK\nContent-Length : 1\n\nx',
    'HTTP/1.1 200 OK\nX\n\n',
    'HTTP/1.1 200 OK\nX: a\rb\n\n',
    'HTTP/1.1 200 OK\nX: a\0b\n\n',
    `HTTP/1.1 200 OK\n${'X: y\n'.repeat(1_001)}\n`,
    `HTTP/1.1 200 OK\nX: ${'y'.repeat(70_000)}\n\n`,
  ])
    assert.throws(() => read(head), FramingError, JSON.stringify(head.slice(0, 80)))
})

test('what is read strictly is read leniently, to the same', () => {
  const piece = fc.constantFrom(
    ...[
      'HTTP/1.1 200 OK',
      'HTTP/1.0 404 x',
      '\r\n',
      '\r\n\r\n',
      '\n',
      ' ',
      'X: y',
      'Content-Length: 3',
      'Content-Length:',
    ],
    ...['Transfer-Encoding: chunked', '3\r\nabc\r\n0\r\n\r\n', 'abc', '\t', '\r', ': '],
  )
  const attempt = (text: string, lenient: boolean) => {
    try {
      return read(text, { lenient })
    } catch {
      return null
    }
  }
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = `HTTP/1.1 200 OK\r\n${pieces.join('')}`
      const strict = attempt(text, false)
      if (strict) assert.deepEqual(attempt(text, true), strict)
    }),
    { numRuns: 2_000 },
  )
})

function readByteByByte(text: string): void {
  const parser = new ResponseParser(1024 * 1024)
  parser.begin('GET', false, IGNORED, true)
  for (const byte of Buffer.from(text)) parser.execute(Buffer.of(byte))
  assert.ok(parser.idle)
}

for (const filler of ['x', ' ', '\n ', '\r\n\t', 'x: y\n'])
  test(`a head of ${JSON.stringify(filler)}, byte by byte: double the bytes cost double the time`, () => {
    const answerOf = (size: number): string => {
      const lines =
        filler === 'x: y\n' ? filler.repeat(900) + 'z'.repeat(size) : filler.repeat(size / filler.length)
      return `HTTP/1.1 204 OK\nX: ${lines}${filler === 'x: y\n' ? ': y' : 'y'}\n\n`
    }
    const once = answerOf(40_000)
    const twice = answerOf(80_000)
    return assertCostRatio(
      () => readByteByByte(once),
      () => readByteByByte(twice),
      3,
    )
  })
