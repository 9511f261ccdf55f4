/** A body is read the same however its bytes are cut. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cut, places } from '../../../test/support/cuts.ts'
import { BodyReader } from '../src/index.ts'

const EXTENSIONS = ['', ';a', ' ', '\t;a="b c"', ';;', ' ; x']
const chunks = fc.array(
  fc.record({
    data: fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    extension: fc.constantFrom(...EXTENSIONS),
    upper: fc.boolean(),
  }),
  { maxLength: 20 },
)

/** What a reader makes of it; an error as its message. */
function readChunked(pieces: Iterable<Buffer>): {
  data: Buffer
  trailers: readonly string[] | null
  calls: number
} {
  const reader = new BodyReader({
    sizeLine: null,
    stray: /\0/,
    trailerBytesMax: 1_000,
    extensionBytesMax: Number.POSITIVE_INFINITY,
  })
  const data: Buffer[] = []
  let trailers: readonly string[] | null = null
  const handler = {
    onData: (bytes: Buffer) => void data.push(Buffer.from(bytes)),
    onEnd: (raw: readonly string[]) => {
      trailers = raw
    },
  }
  reader.begin('chunked')
  let held = Buffer.alloc(0)
  for (const piece of pieces) {
    const bytes = Buffer.concat([held, piece])
    let at = 0
    while (at < bytes.length && !reader.done) {
      const next = reader.step(bytes, at, handler)
      if (next < 0) break
      at = next
    }
    held = bytes.subarray(at)
  }
  return { data: Buffer.concat(data), trailers, calls: data.length }
}

test('a body in chunks is the same however it is cut, and handed over once a read', () => {
  fc.assert(
    fc.property(chunks, places, (parts, cuts) => {
      const text = parts.map(({ data, extension, upper }) => {
        const size = data.length.toString(16)
        return Buffer.concat([
          Buffer.from(`${upper ? size.toUpperCase() : size}${extension}\r\n`),
          data,
          Buffer.from('\r\n'),
        ])
      })
      const bytes = Buffer.concat([...text, Buffer.from('0\r\nA: 1\r\n\r\n')])
      const pieces = [...cut(bytes, cuts)]
      const read = readChunked(pieces)
      assert.deepEqual(read.data, Buffer.concat(parts.map(({ data }) => data)))
      assert.deepEqual(read.trailers, ['A', '1'])
      assert.ok(read.calls <= pieces.length)
    }),
  )
})

test('sizes that are none are refused wherever they are cut, after what came before them', () => {
  const bad = [
    '\r\n',
    'g\r\n',
    '1 x\r\n',
    '-1\r\n',
    '1234567890abc\r\n',
    '1;a\nb\r\n',
    '1;a\rb\r\n',
    '0x1\r\n',
    ' 1\r\n',
  ]
  for (const line of bad)
    for (let place = 0; place < 9 + line.length; place++) {
      const data: string[] = []
      const bytes = Buffer.from(`2\r\nab\r\n${line}x\r\n0\r\n\r\n`)
      const reader = new BodyReader({
        sizeLine: null,
        stray: /\0/,
        trailerBytesMax: 100,
        extensionBytesMax: 100,
      })
      reader.begin('chunked')
      const handler = {
        onData: (piece: Buffer) => void data.push(piece.toString()),
        onEnd: () => assert.fail(),
      }
      assert.throws(() => {
        let held = Buffer.alloc(0)
        for (const piece of cut(bytes, [place])) {
          held = Buffer.concat([held, piece])
          for (let next = 0; next >= 0 && held.length > 0; held = held.subarray(Math.max(0, next)))
            next = reader.step(held, 0, handler)
        }
      }, /chunk size/)
      assert.equal(data.join(''), 'ab')
    }
})
