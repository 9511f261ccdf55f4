import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { MemberError, MemberReader, packedMembers, storedMembers } from '../src/index.ts'

const MEMBER_TEXT_BYTES = 128 * 1024

/** What a reader makes of bytes that arrive so many at a time. */
function read(bytes: Buffer, chunkBytes: number): Buffer[] {
  const reader = new MemberReader()
  const texts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    // In memory that is written over afterwards.
    const chunk = Buffer.from(bytes.subarray(at, at + chunkBytes))
    reader.add(chunk)
    for (let text = reader.next(); text; text = reader.next()) texts.push(Buffer.from(text))
    chunk.fill(0)
  }
  return texts
}

test('texts of any kind come out as they were, however they are cut, and any reader of gzip reads them', async () => {
  const text = fc.oneof(
    fc.uint8Array({ maxLength: 2_000 }),
    fc.nat(300_000).map((bytes) => Buffer.alloc(bytes, 'some lines of text\n')),
    fc.nat(300_000).map((bytes) => randomBytes(bytes)),
  )
  const packed = fc.array(fc.tuple(fc.boolean(), text), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(packed, fc.integer({ min: 1, max: 100_000 }), async (parts, chunkBytes) => {
      const members = await Promise.all(
        parts.map(([isPacked, part]) => (isPacked ? packedMembers(part) : storedMembers(part))),
      )
      const whole = Buffer.concat(parts.map(([, part]) => part))
      const bytes = Buffer.concat(members)
      const texts = read(bytes, Math.max(chunkBytes, Math.ceil(bytes.length / 1_000)))
      assert.ok(Buffer.concat(texts).equals(whole))
      assert.ok(texts.every(({ length }) => length <= MEMBER_TEXT_BYTES))
      if (bytes.length > 0) assert.ok(gunzipSync(bytes).equals(whole))
    }),
    { numRuns: 40 },
  )
})

test('a member is there as soon as its last byte is', () => {
  const [first, second] = [storedMembers(Buffer.from('one\n')), storedMembers(Buffer.from('two\n'))]
  const reader = new MemberReader()
  reader.add(Buffer.concat([first, second.subarray(0, -1)]))
  assert.equal(reader.next()?.toString(), 'one\n')
  assert.equal(reader.next(), undefined)
  reader.add(second.subarray(-1))
  assert.equal(reader.next()?.toString(), 'two\n')
  assert.equal(reader.next(), undefined)
})

test('the memory of a text is given back when the next one is asked for, and no memory of others', async () => {
  const short = Buffer.from('a short text\n')
  const reader = new MemberReader()
  reader.add(Buffer.concat([await packedMembers(Buffer.alloc(100_000, 'text ')), storedMembers(short)]))
  const long = reader.next()
  assert.equal(long?.length, 100_000)
  const beside = reader.next()
  assert.equal(long.buffer.byteLength, 0)
  assert.equal(reader.next(), undefined)
  assert.ok(beside?.equals(short), 'it lies in memory that others use, too')
})

test('what is stored says its length alone, what is packed is shorter', async () => {
  const [alike, random] = [Buffer.alloc(43, 'a'), randomBytes(43)]
  assert.equal(storedMembers(alike).length, storedMembers(random).length)
  assert.ok((await packedMembers(Buffer.alloc(10_000, 'a'))).length < 200)
})

test('what is no member, is too long, or is damaged is refused before much is made of it', async () => {
  const good = await packedMembers(Buffer.alloc(1_000, 'text '))
  const changed = (at: number, byte: number): Buffer => {
    const copy = Buffer.from(good)
    copy[at < 0 ? copy.length + at : at] = byte
    return copy
  }
  const bomb = Buffer.from(good)
  // It says so few bytes of text that it may pass, and holds more.
  bomb.writeUInt32LE(100, bomb.length - 4)
  for (const bytes of [
    gzipSync('gzip of others, long enough for a header'),
    Buffer.from('{"type":"begin","mode":"full","revision":1}\n'),
    changed(19, 0xff),
    changed(16, 0),
    changed(30, 0x55),
    changed(-8, (good.at(-8) ?? 0) ^ 1),
    changed(-1, 0x7f),
    bomb,
  ])
    assert.throws(() => read(bytes, bytes.length), MemberError)
})

test('bytes of any kind are a MemberError or wait for more, and never anything else', async () => {
  const good = await packedMembers(Buffer.alloc(3_000, 'some text '))
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.nat(255), fc.integer({ min: 1, max: 64 }), (at, byte, chunk) => {
      const bytes = Buffer.from(good)
      bytes[at] = byte
      try {
        read(bytes, chunk)
      } catch (error) {
        assert.ok(error instanceof MemberError)
      }
    }),
  )
})
