/** Senders are written once a segment: every event must find its own, or be set aside. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TrafficEvent } from '@sallyport/contract'
import { SENDERS_MAX } from '@sallyport/journal'
import { eventsOfLines } from '../../../../test/support/batch-lines.ts'
import type { TrafficJournal } from '../../src/record/traffic-journal.ts'
import { type RecordUnderTest, sampleEvent, setUpRecord } from './support.ts'

const reasonsAside = (directory: string): string[] =>
  readdirSync(join(directory, 'damaged'))
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(directory, 'damaged', name), 'utf8')).reason)

/** Everything that waits in a journal, read as one process reads it. */
async function readAll({ openJournal }: RecordUnderTest): Promise<TrafficEvent[]> {
  const { journal } = await openJournal()
  const events = await drain(journal)
  await journal.close()
  return events
}

async function drain(journal: TrafficJournal): Promise<TrafficEvent[]> {
  const reader = journal.createReader()
  const events: TrafficEvent[] = []
  await journal.files.sync()
  for (;;) {
    const batch = await reader.next()
    if (batch.events === 0) break
    events.push(...eventsOfLines(batch.body.toString('utf8').trimEnd().split('\n')))
  }
  await reader.close()
  return events
}

test('each event has its own sender, however many there are and wherever they come again', async (context) => {
  const { segmentFiles, openJournal } = await setUpRecord(context)
  const { journal } = await openJournal({ segmentBytesMax: 256 * 1024 })
  const senders = SENDERS_MAX + 500
  const events = Array.from({ length: 2 * senders + 40 }, (_, index) =>
    sampleEvent(`event ${index}`, {
      userAgent: index % 3 === 0 ? 'always' : `agent ${index % senders} \u00e9\n`,
      researcherId: `researcher ${index % 5}`,
    }),
  )
  for (const event of events) {
    if (Number(event.id.split(' ')[1]) % 2 === 0) await journal.intend(event)
    journal.record(event)
  }
  const read = new Map((await drain(journal)).map((event) => [event.id, event]))
  // One by one: to say how thousands of them differ would take minutes.
  assert.equal(read.size, events.length)
  for (const event of events) assert.deepEqual(read.get(event.id), event)
  assert.ok(segmentFiles().length > 2)
  await journal.close()
})

test('a sender is written once in a segment', async (context) => {
  const { segmentFiles, openJournal } = await setUpRecord(context)
  const { journal } = await openJournal()
  for (let index = 0; index < 100; index += 1) journal.record(sampleEvent(`event ${index}`))
  await journal.close()
  const text = readFileSync(segmentFiles()[0] ?? '', 'latin1')
  assert.equal(text.split('shop.gate.localhost').length - 1, 1)
})

test('what lost its sender to damage is set aside with that reason, and all else is recorded', async (context) => {
  const record = await setUpRecord(context)
  const { directory, segmentFiles, openJournal } = record
  const { journal } = await openJournal()
  const of = (name: string, id: string): TrafficEvent => sampleEvent(id, { researcherId: name })
  await journal.intend(of('lost', 'ended'))
  await journal.intend(of('lost', 'running'))
  await journal.intend(of('kept', 'kept'))
  journal.record(of('lost', 'ended'))
  journal.record(of('lost', 'refused'))
  journal.record(of('kept', 'kept'))
  await journal.close()
  const [path = ''] = segmentFiles()
  const bytes = readFileSync(path)
  bytes[bytes.indexOf('"lost"') + 1] = 0x4c
  writeFileSync(path, bytes)

  assert.deepEqual(await readAll(record), [of('kept', 'kept')])
  const reasons = reasonsAside(directory)
  // The beginnings of both requests, the end of one, and the refusal; and the sender itself.
  assert.equal(reasons.filter((reason) => reason.includes('sender is lost')).length, 3)
  assert.equal(reasons.filter((reason) => reason.includes('beginning is lost')).length, 1)
  assert.equal(reasons.filter((reason) => reason.includes('not a whole record')).length, 1)
  const aside = readdirSync(join(directory, 'damaged'))
    .filter((name) => name.endsWith('.bytes'))
    .map((name) => readFileSync(join(directory, 'damaged', name), 'latin1'))
    .join('')
  for (const id of ['ended', 'running', 'refused']) assert.ok(aside.includes(`"${id}"`), id)
})

test('a segment is read without those before it', async (context) => {
  const record = await setUpRecord(context)
  const { segmentFiles, openJournal } = record
  const { journal } = await openJournal({ segmentBytesMax: 4_096 })
  const events = Array.from({ length: 100 }, (_, index) =>
    sampleEvent(`event ${String(index).padStart(3, '0')}`),
  )
  for (const event of events) {
    journal.record(event)
    await journal.files.sync()
  }
  await journal.close()
  const [first = '', second = '', third = ''] = segmentFiles()
  rmSync(first)
  rmSync(third)
  const read = await readAll(record)
  assert.ok(readFileSync(second, 'latin1').includes('shop.gate.localhost'))
  assert.ok(read.length > 20 && read.length < 100, `${read.length} events`)
  for (const event of read) assert.deepEqual(event, sampleEvent(event.id))
})

test('a request that runs across segments keeps its sender, also when its gateway dies', async (context) => {
  const record = await setUpRecord(context)
  const { segmentFiles, openJournal } = record
  const long = sampleEvent('long', { userAgent: 'of the long request' })
  const { journal } = await openJournal({ segmentBytesMax: 4_096 })
  await journal.intend(long)
  const reader = journal.createReader()
  for (let round = 0; round < 5; round += 1) {
    for (let index = 0; index < 20; index += 1) journal.record(sampleEvent(`short ${round} ${index}`))
    await journal.files.sync()
    const { id, to, tallies, closedIntents, events } = await reader.next()
    assert.equal(events, 20)
    await journal.files.seal({ id, from: to, to, events })
    await journal.files.acknowledge(to, { id, refused: false, tallies, closedIntents })
    reader.carryPinned()
  }
  await reader.close()
  await journal.close()
  assert.ok(!segmentFiles()[0]?.endsWith('0000000001.journal'), 'the segment where it began is gone')
  const [interrupted, ...more] = await readAll(record)
  assert.deepEqual(more, [])
  assert.equal(interrupted?.id, 'long')
  assert.equal(interrupted?.outcome, 'interrupted')
  assert.equal(interrupted?.userAgent, long.userAgent)
})

test('a journal of another format stops the start with a sentence, and stays as it is', async (context) => {
  const { directory, openJournal } = await setUpRecord(context)
  const path = join(directory, '0000000001.journal')
  const former = Buffer.concat([
    Buffer.from('\nSJ', 'latin1'),
    Buffer.alloc(19, 7),
    Buffer.from('{"format":1,"segment":1,"createdAt":1790000000000}'),
  ])
  writeFileSync(path, former)
  await assert.rejects(openJournal(), /is of another format than 2: let the version that wrote it/)
  assert.deepEqual(readdirSync(directory), ['0000000001.journal'])
  assert.deepEqual(readFileSync(path), former)
})
