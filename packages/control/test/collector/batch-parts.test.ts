/** A batch counts once, whether it comes whole, in parts, or first one and then the other. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { constants, zstdCompressSync } from 'node:zlib'
import {
  BATCH_FORMATS_HEADER,
  type BatchHeader,
  type BatchPart,
  COMPRESSED_BATCH_FORMAT,
} from '@sallyport/contract'
import fc from 'fast-check'
import { joinParts } from '../../src/collector/batch-parts.ts'
import { GATEWAY_TOKEN } from '../support/control.ts'
import {
  batchBody,
  event,
  openTemporaryStore,
  REQUEST_ROLLUPS,
  type TemporaryStore,
} from '../support/traffic.ts'
import { dyingBeforeNoted, startCollector, type TestCollector } from './start-collector.ts'

let temporary: TemporaryStore
let collector: TestCollector
let diesBeforeNoted = false

before(async () => {
  temporary = await openTemporaryStore()
  collector = await startCollector(dyingBeforeNoted(temporary.store, () => diesBeforeNoted))
})
after(async () => {
  await collector.close()
  await temporary.remove()
})

const post = (body: Buffer): Promise<Response> =>
  fetch(`${collector.url}/gateway/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${GATEWAY_TOKEN}`, 'content-type': 'application/x-ndjson' },
    body: Uint8Array.from(body),
  })

const compressed = (text: string): Buffer =>
  zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })

/** A batch of some events of its organization that can be posted whole and in parts. */
function someBatch(count: number) {
  const orgId = `org-${randomUUID()}`
  const events = Array.from({ length: count }, (_, index) =>
    event({ orgId, userAgent: `agent ${index % 3}` }),
  )
  const given: Partial<BatchHeader> = { batchId: randomUUID(), format: COMPRESSED_BATCH_FORMAT }
  const body = (changes: Partial<BatchHeader>, first: number, end: number): Buffer => {
    const [head, ...lines] = batchBody(events.slice(first, end), { ...given, ...changes }).split('\n')
    return Buffer.concat([Buffer.from(`${head}\n`), compressed(lines.join('\n'))])
  }
  return {
    whole: () => body({}, 0, count),
    part: (first: number, end: number) => body({ part: { first, end, of: count } }, first, end),
    /** A part without the event that it stands for. */
    leftOut: (first: number) => body({ part: { first, end: first + 1, of: count } }, first, first),
    counts: async (): Promise<number[]> => {
      const sums = ['requests', ...REQUEST_ROLLUPS].map((table) =>
        temporary.store.query<{ n: number }>(
          `SELECT sum(${table === 'requests' ? 'request_count' : 'requests'}) AS n FROM ${table} WHERE org_id = {orgId:String}`,
          { orgId },
        ),
      )
      return (await Promise.all(sums)).map(([row]) => row?.n ?? 0)
    },
  }
}

type SomeBatch = ReturnType<typeof someBatch>

const assertCount = async ({ counts }: SomeBatch, count: number): Promise<void> => {
  for (const counted of await counts()) assert.equal(counted, count)
}
const statusOf = async (body: Buffer): Promise<number> => (await post(body)).status

test('a compressed batch is stored, and its answer says that such are taken', async () => {
  const batch = someBatch(500)
  const answer = await post(batch.whole())
  assert.equal(answer.status, 204)
  assert.equal(answer.headers.get(BATCH_FORMATS_HEADER), String(COMPRESSED_BATCH_FORMAT))
  await assertCount(batch, 500)
})

test('nothing of a batch is stored before its last part has come, and then all of it once', async () => {
  const batch = someBatch(10)
  assert.equal(await statusOf(batch.part(0, 4)), 204)
  assert.equal(await statusOf(batch.part(4, 7)), 204)
  await assertCount(batch, 0)
  assert.equal(await statusOf(batch.part(7, 10)), 204)
  await assertCount(batch, 10)
  assert.equal(await statusOf(batch.part(7, 10)), 204)
  assert.equal(await statusOf(batch.whole()), 204)
  await assertCount(batch, 10)
})

test('a batch that was stored whole and whose answer was lost counts once when it comes in parts', async () => {
  for (const died of [false, true]) {
    const batch = someBatch(10)
    diesBeforeNoted = died
    assert.equal(await statusOf(batch.whole()), died ? 503 : 204)
    diesBeforeNoted = false
    for (const [first, end] of [
      [0, 5],
      [5, 6],
      [6, 10],
    ] as const)
      assert.equal(await statusOf(batch.part(first, end)), 204)
    await assertCount(batch, 10)
  }
})

test('a batch in parts that was not noted counts once when it comes whole, or cut otherwise', async () => {
  const batch = someBatch(10)
  assert.equal(await statusOf(batch.part(0, 5)), 204)
  diesBeforeNoted = true
  assert.equal(await statusOf(batch.part(5, 10)), 503)
  diesBeforeNoted = false
  for (const [first, end] of [
    [0, 3],
    [3, 8],
    [8, 10],
  ] as const)
    assert.equal(await statusOf(batch.part(first, end)), 204)
  assert.equal(await statusOf(batch.whole()), 204)
  await assertCount(batch, 10)
})

test('the last part of a batch of which others are missing is answered 409', async () => {
  const batch = someBatch(10)
  assert.equal(await statusOf(batch.part(0, 4)), 204)
  assert.equal(await statusOf(batch.part(6, 10)), 409)
  await assertCount(batch, 0)
  assert.equal(await statusOf(batch.part(4, 6)), 204)
  assert.equal(await statusOf(batch.part(6, 10)), 204)
  await assertCount(batch, 10)
})

test('a part may leave the event out that it stands for', async () => {
  const batch = someBatch(10)
  assert.equal(await statusOf(batch.part(0, 4)), 204)
  assert.equal(await statusOf(batch.leftOut(4)), 204)
  assert.equal(await statusOf(batch.part(5, 10)), 204)
  await assertCount(batch, 9)
})

test('a part or batch that inflates to more than a batch may hold is refused, and one that is not whole waits', async () => {
  const head = (changes: Partial<BatchHeader>): Buffer =>
    Buffer.from(`${batchBody([], { format: COMPRESSED_BATCH_FORMAT, batchId: randomUUID(), ...changes })}\n`)
  const bomb = compressed('x'.repeat(100 * 1024 * 1024))
  const part = { first: 0, end: 1, of: 1 }
  assert.equal(await statusOf(Buffer.concat([head({ events: 1, part }), bomb])), 400)
  assert.equal(await statusOf(Buffer.concat([head({ events: 1 }), bomb])), 400)
  const batch = someBatch(10)
  for (const body of [batch.whole(), batch.part(0, 10)]) {
    assert.equal(await statusOf(body.subarray(0, -5)), 503)
    const changed = Buffer.from(body)
    changed[body.length - 7] = (changed[body.length - 7] ?? 0) ^ 1
    assert.equal(await statusOf(changed), 503)
  }
  await assertCount(batch, 0)
})

test('a part that contradicts itself is refused', async () => {
  for (const part of [
    { first: 3, end: 3, of: 5 },
    { first: 0, end: 6, of: 5 },
    { first: -1, end: 2, of: 5 },
  ])
    assert.equal(await statusOf(Buffer.from(batchBody([], { format: 3, batchId: 'b', part }))), 400)
  const part: BatchPart = { first: 0, end: 2, of: 5 }
  assert.equal(
    await statusOf(Buffer.from(batchBody([], { format: 2, batchId: 'b', part }))),
    400,
    'not compressed',
  )
  assert.equal(await statusOf(Buffer.from(batchBody([], { format: 3, batchId: '', part }))), 400, 'no id')
  assert.equal(await statusOf(Buffer.from(batchBody([], { format: 3, batchId: 'b', part, events: 3 }))), 400)
})

test('parts are joined to a whole wherever some of them make one up', () => {
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 29 }), { maxLength: 8 })
  const partsOf = (places: number[]) => {
    const ends = [...places.toSorted((one, other) => one - other), 30]
    return ends.map((end, index) => {
      const first = ends[index - 1] ?? 0
      return { first, end, events: end - first }
    })
  }
  fc.assert(
    fc.property(fc.array(cuts, { maxLength: 4 }), fc.nat(30), fc.boolean(), (ways, seed, isWhole) => {
      const all = ways.flatMap(partsOf)
      const parts = isWhole ? all : all.filter(({ first, end }) => !(first <= seed && seed < end))
      const joined = joinParts(
        parts.toSorted((one, other) => ((one.end * 7 + seed) % 5) - ((other.end * 7 + seed) % 5)),
        30,
      )
      const expected = isWhole ? ways.length > 0 : seed === 30 && ways.length > 0
      assert.equal(joined !== undefined, expected)
      if (!joined) return
      let at = 0
      for (const { first, end } of joined) {
        assert.equal(first, at)
        at = end
      }
      assert.equal(at, 30)
    }),
  )
})
