/** Responses are read the same however their bytes are cut, and cost what their length justifies. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertCostRatio } from '../../../test/support/processor-time.ts'
import {
  CHUNK_END,
  chunkStart,
  FramingError,
  lastChunk,
  type ResponseHead,
  ResponseParser,
  responseHead,
  TruncatedError,
} from '../src/index.ts'
import { IGNORED } from './ignored-response.ts'

/** What a parser makes of one response, cut into pieces. */
function read(pieces: Iterable<Buffer>, method = 'GET') {
  const parser = new ResponseParser(64 * 1024)
  const informations: number[] = []
  const body: Buffer[] = []
  const seen: { head?: ResponseHead; trailers?: readonly string[] } = {}
  parser.begin(method, false, {
    onInformation: ({ status }) => void informations.push(status),
    onHead: (head) => {
      seen.head = head
    },
    onUpgrade: () => assert.fail(),
    onTunnelData: () => assert.fail(),
    onData: (bytes) => void body.push(Buffer.from(bytes)),
    onEnd: (trailers) => {
      seen.trailers = trailers
    },
  })
  for (const piece of pieces) parser.execute(Buffer.from(piece))
  if (!parser.idle) parser.finish()
  return { ...seen, informations, body: Buffer.concat(body), reusable: parser.reusable }
}

function* cut(bytes: Buffer, places: readonly number[]): Generator<Buffer> {
  let from = 0
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  for (const to of ends) {
    if (to > from) yield bytes.subarray(from, to)
    from = Math.max(from, to)
  }
}

const places = fc.array(fc.nat(), { maxLength: 12 })
const token = fc.stringMatching(/^X-[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}$/)
const value = fc.stringMatching(/^([!-~]([ -~]{0,20}[!-~])?)?$/)
const fields = fc.array(fc.tuple(token, value), { maxLength: 6 }).map((pairs) => pairs.flat())
const parts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 80 }), { maxLength: 8 })
const framing = fc.constantFrom('chunked', 'length', 'close')

test('what the writer writes is what the reader reads, however it is cut', () => {
  fc.assert(
    fc.property(
      fields,
      fields,
      parts,
      framing,
      fc.nat(2),
      places,
      (headers, trailers, data, how, early, cuts) => {
        const whole = Buffer.concat(data)
        const own = {
          chunked: ['Transfer-Encoding', 'chunked'],
          length: ['Content-Length', String(whole.length)],
          close: ['Connection', 'close'],
        }[how]
        const head = responseHead(200, 'OK', [...headers, ...own])
        const chunks = data.flatMap((part) => [
          Buffer.from(chunkStart(part.length)),
          part,
          Buffer.from(CHUNK_END),
        ])
        const bytes = Buffer.concat([
          Buffer.from(responseHead(102, 'Processing', []).repeat(early)),
          Buffer.from(head, 'latin1'),
          ...(how === 'chunked' ? [...chunks, Buffer.from(lastChunk(trailers), 'latin1')] : data),
        ])
        const got = read(cut(bytes, cuts))
        assert.equal(got.head?.status, 200)
        assert.deepEqual(got.head.rawHeaders, [...headers, ...own])
        assert.deepEqual(got.body, whole)
        assert.deepEqual(got.trailers, how === 'chunked' ? trailers : [])
        assert.deepEqual(got.informations, Array(early).fill(102))
        assert.equal(got.reusable, how !== 'close' && early === 0)
      },
    ),
  )
})

test('a response that is cut off is an error, wherever it is', () => {
  const bytes = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n')
  for (let end = 0; end < bytes.length; end++)
    assert.throws(() => read([bytes.subarray(0, end)]), TruncatedError)
})

test('where two readers could disagree about the end of a response, that is an error', () => {
  for (const head of [
    'Content-Length: 1\r\nContent-Length: 2',
    'Content-Length: 1\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
    'Content-Length: +1',
    'Content-Length : 1',
    'X: a\nContent-Length: 1',
    'X: a\r\n folded',
  ])
    assert.throws(() => read([Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n\r\nx`)]), FramingError, head)
  assert.throws(
    () => read([Buffer.from('HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')]),
    FramingError,
  )
})

function readByteByByte(text: string): void {
  const parser = new ResponseParser(1024 * 1024)
  parser.begin('GET', false, IGNORED)
  for (const byte of Buffer.from(text)) parser.execute(Buffer.of(byte))
  assert.ok(parser.idle)
}

for (const [what, answerOf] of [
  ['a head', (size: number) => `HTTP/1.1 204 OK\r\nX: ${'x'.repeat(size)}\r\n\r\n`],
  [
    'trailers',
    (size: number) =>
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ${'x'.repeat(size)}\r\n\r\n`,
  ],
  [
    'chunks',
    (size: number) =>
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1;xyz\r\nx\r\n'.repeat(size / 10)}0\r\n\r\n`,
  ],
] as const)
  test(`${what}, byte by byte: double the bytes cost double the time`, () => {
    const once = answerOf(40_000)
    const twice = answerOf(80_000)
    return assertCostRatio(
      () => readByteByByte(once),
      () => readByteByByte(twice),
      3,
    )
  })

test('a head that can never become one is refused at the byte that says so, however it is cut', () => {
  const begin = 'HTTP/1.1 200 OK\r\nServer: a\tb\r\n'
  for (const [text, hopelessAt] of [
    ['hello', 1],
    ['HTTP/2', 6],
    ['HTTP/1.1 200 OK\n', 16],
    [`${begin}X: y\nZ`, begin.length + 5],
    [`${begin} folded`, begin.length + 1],
    [`${begin}\tfolded`, begin.length + 1],
    [`${begin}X\0y`, begin.length + 2],
    [`${begin}X\ry`, begin.length + 3],
  ] as const) {
    const parser = new ResponseParser(64 * 1024)
    parser.begin('GET', false, IGNORED)
    const bytes = Buffer.from(text, 'latin1')
    for (let at = 0; at < hopelessAt - 1; at += 1) parser.execute(bytes.subarray(at, at + 1))
    assert.throws(() => parser.execute(bytes.subarray(hopelessAt - 1, hopelessAt)), FramingError, text)
    const whole = new ResponseParser(64 * 1024)
    whole.begin('GET', false, IGNORED)
    assert.throws(() => whole.execute(bytes), FramingError, text)
  }
})
