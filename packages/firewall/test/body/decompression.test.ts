/** Little data is undone at once, and says what a stream says of the same data. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createGunzip,
  createInflate,
  createInflateRaw,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from 'node:zlib'
import { decompress } from '../../src/body/decompression.ts'

const KINDS = [
  { encoding: 'gzip', compress: gzipSync, open: createGunzip },
  { encoding: 'x-gzip', compress: gzipSync, open: createGunzip },
  { encoding: 'deflate', compress: deflateSync, open: createInflate },
  { encoding: 'deflate', compress: deflateRawSync, open: createInflateRaw },
] as const

/** What a stream makes of data, and whether it took all of it. */
async function streamed(
  bytes: Buffer,
  stream: ReturnType<(typeof KINDS)[number]['open']>,
  bytesMax: number,
): Promise<{ bytes: Buffer; complete: boolean }> {
  const chunks: Buffer[] = []
  let complete = true
  try {
    stream.end(bytes)
    for await (const chunk of stream) chunks.push(chunk)
  } catch {
    complete = false
  }
  const all = Buffer.concat(chunks)
  if (all.length === 0) return { bytes, complete: false }
  const isWhole = complete && all.length <= bytesMax && stream.bytesWritten === bytes.length
  return { bytes: all.subarray(0, bytesMax), complete: isWhole }
}

const plain = Buffer.from('a piece of text, and then another; '.repeat(40))

/** The data as it is, and as senders break it. */
function* spoilt(data: Buffer, other: Buffer): Generator<readonly [string, Buffer]> {
  yield ['as it is', data]
  for (let length = 1; length < data.length; length += 7) yield [`cut at ${length}`, data.subarray(0, length)]
  yield ['with bytes behind it', Buffer.concat([data, Buffer.from('tail')])]
  yield ['with zeros behind it', Buffer.concat([data, Buffer.alloc(9)])]
  yield ['with more of its kind behind it', Buffer.concat([data, other])]
  for (let at = 0; at < data.length; at += 5) {
    const changed = Buffer.from(data)
    changed[at] = (changed[at] ?? 0) ^ 0x10
    yield [`changed at ${at}`, changed]
  }
}

for (const { encoding, compress, open } of KINDS)
  test(`${encoding} by ${open.name}: whole, cut, changed, with more behind it`, async () => {
    const other = compress(Buffer.from('more'))
    for (const [name, data] of spoilt(compress(plain), other)) {
      // A changed first byte may make another kind of it.
      if (encoding === 'deflate' && (((data[0] ?? 0) & 0x0f) === 8) !== (open === createInflate)) continue
      for (const bytesMax of [100, plain.length, 2 ** 21])
        assert.deepEqual(
          await decompress(data, encoding, bytesMax),
          await streamed(data, open(), bytesMax),
          `${name}, at most ${bytesMax}`,
        )
    }
  })

test('what comes out as more than is undone at once comes out whole', async () => {
  const large = Buffer.alloc(300_000, 'x')
  const { bytes, complete } = await decompress(gzipSync(large), 'gzip', 2 ** 21)
  assert.ok(complete && bytes.equals(large))
  assert.equal((await decompress(gzipSync(large), 'gzip', 1_000)).complete, false)
})
