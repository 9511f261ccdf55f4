/** Every event is delivered once, whatever is between gateway and control plane, and is not lost where nothing lets it through. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BATCH_WIRE_BYTES_MAX } from '@sallyport/contract'
import fc from 'fast-check'
import { TrafficJournal } from '../../../src/record/traffic-journal.ts'
import { DEFAULT_JOURNAL_SETTINGS } from '../../../src/settings.ts'
import { type Answer, type RecordUnderTest, sampleEvent, setUpRecord, until } from '../support.ts'

/** An event that cannot be compressed much. */
const noisyEvent = (id: string, bytes: number) =>
  sampleEvent(id, { target: `/${randomBytes(bytes).toString('base64url')}` })

/** Leaves so many events in a journal, sealed as one batch that was not taken, as a gateway that was killed does. */
async function leaveSealed({ directory }: RecordUnderTest, events: number, bytes: number): Promise<void> {
  const journal = await TrafficJournal.open({ ...DEFAULT_JOURNAL_SETTINGS, directory, log: () => undefined })
  for (let index = 0; index < events; index += 1) journal.record(noisyEvent(`event-${index}`, bytes))
  await journal.files.sync()
  const reader = journal.createReader()
  const { id, from, to, events: sealed } = await reader.next()
  assert.equal(sealed, events)
  await journal.files.seal({ id, from, to, events })
  await reader.close()
  await journal.close()
}

const allOnce = ({ plane }: RecordUnderTest, events: number): void => {
  assert.equal(plane.count, events)
  for (const [key, came] of plane.events) assert.equal(came.length, 1, key)
  assert.deepEqual(plane.changed, [])
}

/** A proxy that lets through so many bytes. */
const letsThrough =
  (bytesMax: number, then: Answer = () => 204): Answer =>
  (header, attempt, bytes) =>
    bytes > bytesMax ? 413 : then(header, attempt, bytes)

test('what an earlier version sealed goes in parts of at most a megabyte, and counts once', async (context) => {
  const record = await setUpRecord(context)
  const { plane, start } = record
  await leaveSealed(record, 1_200, 4_000)
  const { recorder } = await start()
  await until(() => recorder.progress().pending === 0, 'the acknowledgement')
  allOnce(record, 1_200)
  assert.equal(plane.bodies.size, 1, 'one batch, as it was sealed')
  assert.ok(plane.largestBytes <= BATCH_WIRE_BYTES_MAX, `${plane.largestBytes} bytes at once`)
  await recorder.close()
})

test('batches are compressed where the control plane takes that, and not where it is older', async (context) => {
  const { plane, start } = await setUpRecord(context)
  const { recorder } = await start()
  const record = async (name: string): Promise<number | undefined> => {
    for (let index = 0; index < 2_000; index += 1) recorder.record(sampleEvent(`${name}-${index}`))
    await until(() => recorder.progress().pending === 0, 'the acknowledgement')
    return plane.headers.findLast(({ events }) => events > 0)?.format
  }
  await until(() => plane.headers.length > 0, 'a report')
  assert.equal(await record('new'), 3)
  plane.takesCompressed = false
  const reports = plane.headers.length
  recorder.reportNow()
  await until(() => plane.headers.length > reports + 1, 'a report')
  assert.equal(await record('old'), 2)
  assert.equal(plane.count, 4_000)
  await recorder.close()
})

test('a proxy that lets through little is met with smaller parts, then with smaller batches', async (context) => {
  const { plane, start } = await setUpRecord(context)
  plane.answer = letsThrough(60_000)
  const { recorder } = await start()
  for (let index = 0; index < 400; index += 1) recorder.record(noisyEvent(`first-${index}`, 1_000))
  await until(() => plane.count === 400, 'the events')
  assert.ok(plane.headers.some(({ part }) => part))
  const before = plane.headers.length
  for (let index = 0; index < 400; index += 1) recorder.record(noisyEvent(`second-${index}`, 1_000))
  await until(() => plane.count === 800, 'the events')
  const parts = plane.headers.slice(before).filter(({ part }) => part)
  assert.ok(parts.length <= 4, `${parts.length} parts`)
  await recorder.close()
})

test('an event that does not get through even alone is kept beside the journal, and the others go', async (context) => {
  const record = await setUpRecord(context)
  const { plane, start, directory } = record
  plane.answer = letsThrough(8_000)
  const { recorder, lines } = await start()
  for (let index = 0; index < 20; index += 1) recorder.record(sampleEvent(`small-${index}`))
  recorder.record(noisyEvent('large', 8_000))
  for (let index = 20; index < 40; index += 1) recorder.record(sampleEvent(`small-${index}`))
  await until(() => recorder.progress().pending === 0, 'the acknowledgement')
  allOnce(record, 40)
  assert.ok(!plane.events.has('large request'))
  const damaged = join(directory, 'damaged')
  const [bytes = '', ...more] = readdirSync(damaged).filter((name) => name.endsWith('.bytes'))
  assert.deepEqual(more, [])
  assert.match(readFileSync(join(damaged, bytes), 'utf8'), /^\{"sender":.*\n\[\d+,"large"/)
  assert.match(readFileSync(join(damaged, bytes.replace('.bytes', '.json')), 'utf8'), /413/)
  assert.ok(lines.some((line) => line.includes('even alone')))
  assert.ok(recorder.progress().damagedBytes > 0)
  await recorder.close()
})

test('a batch whose parts the control plane has forgotten is sent again from its beginning', async (context) => {
  const record = await setUpRecord(context)
  const { plane, start } = record
  await leaveSealed(record, 300, 1_000)
  let forgot = false
  plane.answer = letsThrough(100_000, ({ part }) => {
    if (!forgot && part && part.first > 0) {
      forgot = true
      plane.forgetParts()
    }
    return 204
  })
  const { recorder } = await start()
  await until(() => recorder.progress().pending === 0, 'the acknowledgement')
  assert.ok(forgot)
  allOnce(record, 300)
  await recorder.close()
})

/** What one answer is, in the order in which they are asked for. */
const answers = fc.oneof(
  { weight: 6, arbitrary: fc.constant<'taken'>('taken') },
  { weight: 2, arbitrary: fc.constant<'lost'>('lost') },
  { weight: 1, arbitrary: fc.constant<'away'>('away') },
  { weight: 1, arbitrary: fc.constant<'forgets'>('forgets') },
)
const life = fc.record({
  /** What the proxy lets through while this process runs. */
  bytesMax: fc.constantFrom(6_000, 20_000, 60_000, 1_000_000),
  answers: fc.array(answers, { maxLength: 12 }),
  events: fc.integer({ min: 0, max: 60 }),
  takesCompressed: fc.boolean(),
})

test('every event is delivered once under 413, lost answers, outages and restarts', async (context) => {
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 2, maxLength: 4 }), async (lives) => {
      const record = await setUpRecord(context)
      const { plane, start } = record
      let expected = 0
      for (const [number, { bytesMax, answers: given, events, takesCompressed }] of lives.entries()) {
        const isLast = number === lives.length - 1
        const queue = [...given]
        plane.takesCompressed = takesCompressed
        plane.answer = letsThrough(bytesMax, () => {
          const next = queue.shift() ?? (isLast ? 'taken' : 'away')
          if (next === 'forgets') plane.forgetParts()
          return next === 'lost' ? 'break' : next === 'away' ? 503 : 204
        })
        const { recorder } = await start({ closeTimeoutMs: isLast ? 5_000 : 50 })
        for (let index = 0; index < events; index += 1) recorder.record(noisyEvent(`${number}-${index}`, 300))
        expected += events
        if (isLast) await until(() => recorder.progress().pending === 0, 'the acknowledgement', 30_000)
        await recorder.close()
      }
      allOnce(record, expected)
    }),
    { numRuns: 12 },
  )
})
