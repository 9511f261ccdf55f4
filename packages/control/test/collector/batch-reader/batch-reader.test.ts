import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { BATCH_BYTES_MAX, type BatchHeader, type TrafficEvent } from '@sallyport/contract'
import fc from 'fast-check'
import { eventually } from '../../../../../test/support/installation.ts'
import { type BatchReader, createBatchReader } from '../../../src/collector/batch-reader/batch-reader.ts'
import type { GatheredBatch } from '../../../src/collector/batch-reader/gathered-batch.ts'
import { BadBatch } from '../../../src/collector/batch-reader/read-batch.ts'
import type { ServedOrganizations } from '../../../src/gateway-access/gateway-scope.ts'
import { batchBody, event, hit } from '../../support/traffic.ts'

/** Who shows the token that gateways share. */
const ANYBODY = { organizations: null, isEnrolled: false }
const ORGANIZATIONS = new Set(['org-a'])
const NOW = Date.now()
const readers: BatchReader[] = []
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()))
})

function openReader() {
  const failures: unknown[] = []
  const reader = createBatchReader((error) => failures.push(error))
  readers.push(reader)
  return { reader, failures }
}

async function* chunksOf(body: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let start = 0, turn = 0; start < body.length; turn += 1) {
    const end = start + (sizes[turn % sizes.length] ?? body.length)
    yield body.subarray(start, end)
    start = end
  }
}

/** Reads a batch and returns what its reader is told of it, and all its events. */
async function readWhole(
  reader: BatchReader,
  body: AsyncIterable<Buffer>,
  organizations: ServedOrganizations = null,
) {
  const heard: BatchHeader[] = []
  const read: { batch?: GatheredBatch; events?: TrafficEvent[] } = {}
  await reader.read(
    body,
    { organizations, isEnrolled: false },
    (header) => heard.push(header),
    async (batch) => {
      read.batch = batch
      read.events = await batch.events({ first: 0, end: batch.count }, ORGANIZATIONS)
    },
  )
  return { heard, ...read }
}

test('a batch is read as it was sent, wherever its body is cut', async () => {
  const { reader } = openReader()
  const events = Array.from({ length: 1_000 }, (_, index) =>
    event({
      time: NOW - (index % 333) * 1_000,
      target: `/é中😀\u0000?${index}`,
      hits: index % 7 === 0 ? [hit()] : [],
    }),
  )
  const body = Buffer.from(batchBody([...events, 'nonsense'], { events: events.length }))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 20 }),
      async (sizes) => {
        const { heard, batch, events: read } = await readWhole(reader, chunksOf(body, [70_000, ...sizes]))
        assert.equal(heard.length, 1)
        assert.deepEqual(batch?.header, heard[0])
        assert.deepEqual(
          batch?.badLines.map(({ content }) => content),
          ['nonsense'],
        )
        assert.deepEqual(batch?.orgIds, ['org-a'])
        assert.equal(batch?.firstTime, Math.min(...events.map(({ time }) => time)))
        assert.deepEqual(read, events)
      },
    ),
    { numRuns: 10 },
  )
})

test('a chunk with memory of its own leaves none behind, and what shares its memory keeps it', async () => {
  const { reader } = openReader()
  const body = Buffer.from(batchBody([event()]))
  const alone = Buffer.from(new Uint8Array(body).buffer)
  await readWhole(reader, chunksOf(alone, [alone.length]))
  assert.equal(alone.length, 0)
  const shared = Buffer.concat([body, Buffer.from('neighbour')])
  const { events } = await readWhole(reader, chunksOf(shared.subarray(0, body.length), [body.length]))
  assert.equal(events?.length, 1)
  assert.equal(shared.toString(), `${body}neighbour`)
})

test('batches that come side by side are kept apart', async () => {
  const { reader } = openReader()
  const batches = Array.from({ length: 8 }, (_, number) =>
    Array.from({ length: 400 }, () => event({ path: `/batch/${number}` })),
  )
  const read = await Promise.all(
    batches.map((events) => readWhole(reader, chunksOf(Buffer.from(batchBody(events)), [10_000]))),
  )
  assert.deepEqual(
    read.map(({ events }) => events),
    batches,
  )
})

test('no more of a body is taken than the thread has room for', async () => {
  const { reader } = openReader()
  const chunkBytes = 64 * 1024
  let taken = 0
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.from(`${batchBody([])}\n`)
    for (; taken < BATCH_BYTES_MAX / 2; taken += chunkBytes)
      yield Buffer.from(`${'x'.repeat(chunkBytes - 1)}\n`)
  }
  let takenWhenHeard = 0
  await reader.read(
    endless(),
    ANYBODY,
    () => {
      takenWhenHeard = taken
    },
    async () => undefined,
  )
  assert.ok(taken >= BATCH_BYTES_MAX / 2)
  assert.ok(takenWhenHeard < 2 * 1024 * 1024, `${takenWhenHeard} bytes had been taken`)
})

test('a body that is too long is refused, and all of it is taken so that the answer can be read', async () => {
  const { reader } = openReader()
  const body = Buffer.concat([
    Buffer.from(`${batchBody([])}\n`),
    Buffer.alloc(BATCH_BYTES_MAX + 4 * 1024 * 1024, 'x'),
  ])
  let taken = 0
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of chunksOf(body, [65_536])) {
      taken += chunk.length
      yield chunk
    }
  }
  await assert.rejects(readWhole(reader, counted()), BadBatch)
  assert.equal(taken, body.length)
})

test('a body that breaks off is rejected with its own error, and the thread goes on', async () => {
  const { reader, failures } = openReader()
  async function* broken(): AsyncGenerator<Buffer> {
    yield Buffer.from(batchBody([event()]))
    throw new Error('the gateway went away')
  }
  await assert.rejects(readWhole(reader, broken()), /the gateway went away/)
  const { events } = await readWhole(reader, chunksOf(Buffer.from(batchBody([event()])), [1_000]))
  assert.equal(events?.length, 1)
  assert.deepEqual(failures, [])
})

test('of organizations that the gateway does not serve nothing is taken', async () => {
  const { reader } = openReader()
  const events = [event(), event({ orgId: 'org-b' }), event({ orgId: '', siteId: '' })]
  const body = Buffer.from(batchBody(events))
  const { batch } = await readWhole(reader, chunksOf(body, [1_000]), ORGANIZATIONS)
  assert.deepEqual(batch?.orgIds, ['org-a', ''])
  assert.equal(batch?.count, 2)
  const reasons = batch?.badLines.map(({ reason }) => reason)
  assert.deepEqual(reasons?.slice(0, 1), ['orgId: the gateway does not serve this organization'])
  assert.ok(
    batch?.badLines.some(({ content }) => content.includes('org-b')),
    'set aside, and not lost',
  )
})

test('what the act throws is thrown', async () => {
  const { reader } = openReader()
  const act = async (): Promise<never> => {
    throw new Error('the store is away')
  }
  await assert.rejects(
    reader.read(chunksOf(Buffer.from(batchBody([event()])), [1_000]), ANYBODY, () => undefined, act),
    /the store is away/,
  )
})

test('a thread that dies costs the batches in it a repetition, and the next batch is read by another', async () => {
  const { reader, failures } = openReader()
  const valid = Buffer.from(batchBody([event()]))
  const first = { first: 0, end: 1 }
  const ended = /has ended/
  const act = async (batch: GatheredBatch): Promise<void> => {
    await Promise.all([
      // Nobody says for how long the organization keeps its record, which the thread takes for granted.
      assert.rejects(batch.rows(first, new Map()), ended),
      assert.rejects(readWhole(reader, chunksOf(valid, [1_000])), ended),
    ])
    await assert.rejects(batch.events(first, ORGANIZATIONS), ended)
  }
  await reader.read(chunksOf(valid, [1_000]), ANYBODY, () => undefined, act)
  const next = () => readWhole(reader, chunksOf(valid, [1_000])).catch(() => undefined)
  assert.equal((await eventually(next)).events?.length, 1)
  assert.equal(failures.length, 1)
})

test('closing rejects what is under way', async () => {
  const { reader } = openReader()
  async function* waiting(): AsyncGenerator<Buffer> {
    yield Buffer.from(`${batchBody([event()])}\n`)
    await reader.close()
  }
  await assert.rejects(readWhole(reader, waiting()), /has ended/)
})

test('whoever starts a reader that is there, or dies while it starts, does not wait for ever', async () => {
  const { reader } = openReader()
  await Promise.all([reader.start(), reader.start()])
  await reader.start()
  const ended = openReader().reader
  const starting = ended.start()
  await ended.close()
  await starting
})
