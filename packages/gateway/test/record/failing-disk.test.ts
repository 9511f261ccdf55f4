/** A disk that fails for a moment, or takes its time. */
import assert from 'node:assert/strict'
import { readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_JOURNAL_SETTINGS } from '../../src/settings.ts'
import { diskError, replaceDiskCall, sampleEvent, setUpRecord, until } from './support.ts'

const SEALED = { id: 'b', from: { segment: 1, offset: 0 }, to: { segment: 1, offset: 1 }, events: 1 }

const syncFailure = (): Error => diskError('EIO', 'i/o error, fdatasync')

test('a sync that fails once stops admission only until the next one succeeds', async (context) => {
  const { openJournal } = await setUpRecord(context)
  const { journal, lines } = await openJournal()
  let failures = 1
  replaceDiskCall(context, 'fdatasync', (real) => (file, done) => {
    if (failures > 0) {
      failures -= 1
      done(syncFailure())
    } else real(file, done)
  })
  journal.record(sampleEvent('one'))
  await assert.rejects(journal.files.sync(), /EIO/)
  assert.equal(journal.files.admitting, false)
  await until(() => journal.files.admitting, 'the sync of the next second', 3_000)
  assert.match(lines.join('\n'), /cannot be written[^\n]*EIO[^\n]*\n[^\n]*can be written again/)
})

test('while the disk refuses, refusals of strangers are counted in memory, and come once it takes them', async (context) => {
  const { plane, start } = await setUpRecord(context)
  const { recorder } = await start()
  let isRefusing = true
  replaceDiskCall(context, 'fdatasync', (real) => (file, done) => {
    if (isRefusing) done(syncFailure())
    else real(file, done)
  })
  recorder.record(sampleEvent('a researcher'))
  await until(() => !recorder.admitting, 'the refusal')
  for (let index = 0; index < 1_000; index += 1)
    recorder.record(
      sampleEvent(`stranger ${index}`, { researcherId: '', outcome: 'gate', target: `/${index}` }),
    )
  assert.equal(recorder.progress().aggregated, 1_000)
  assert.equal(recorder.progress().strangerBytes, 0)
  isRefusing = false
  await until(() => plane.count >= 2, 'the counts')
  const events = [...plane.events.values()].flat()
  assert.equal(
    events.reduce((sum, { requestCount }) => sum + requestCount, 0),
    1_001,
  )
})

test('what a failed sync may have lost is written anew before the next one counts', async (context) => {
  const { directory, openJournal } = await setUpRecord(context)
  const { journal } = await openJournal()
  let failures = 0
  /** Where the file was written since the last sync of it. */
  let written: [start: number, end: number][] = []
  const synced: (typeof written)[] = []
  replaceDiskCall(context, 'writeSync', (real) => (file, bytes, from, length, at) => {
    const done = real(file, bytes, from, length, at)
    written.push([at, at + done])
    return done
  })
  replaceDiskCall(context, 'fdatasync', (real) => (file, done) => {
    synced.push(written)
    written = []
    if (failures === 0) return real(file, done)
    failures -= 1
    done(syncFailure())
  })
  journal.record(sampleEvent('kept'))
  await journal.files.sync()
  const kept = journal.files.end.offset
  const before = await readFile(join(directory, '0000000001.journal'))
  failures = 1
  journal.record(sampleEvent('in doubt'))
  await assert.rejects(journal.files.sync(), /EIO/)
  const doubtful = journal.files.end.offset
  journal.record(sampleEvent('later'))
  await journal.files.sync()
  const end = journal.files.end.offset
  assert.deepEqual(synced.at(-1), [
    [doubtful, end],
    [kept, end],
  ])
  await journal.files.sync()
  journal.record(sampleEvent('last'))
  await journal.files.sync()
  assert.deepEqual(synced.at(-1), [[end, journal.files.end.offset]], 'what is synced is left alone')
  assert.deepEqual((await readFile(join(directory, '0000000001.journal'))).subarray(0, before.length), before)
})

test('what a killed process has not synced is synced before anything is sent', async (context) => {
  const { openJournal } = await setUpRecord(context)
  const first = await openJournal()
  first.journal.record(sampleEvent('one'))
  await first.journal.close()
  const synced: string[] = []
  replaceDiskCall(context, 'fdatasync', (real) => (file, done) => {
    synced.push(basename(readlinkSync(`/proc/self/fd/${file}`)))
    real(file, done)
  })
  await openJournal()
  assert.ok(synced.includes('0000000001.journal'), synced.join())
})

test('a segment that cannot be synced when it is full is synced later, and admission comes back', async (context) => {
  const { openJournal } = await setUpRecord(context)
  const { journal } = await openJournal({ segmentBytesMax: 2_000 })
  let failing = true
  replaceDiskCall(context, 'fdatasync', (real) => (file, done) => {
    if (failing) done(new Error('EMFILE'))
    else real(file, done)
  })
  for (let index = 0; index < 10; index += 1)
    await journal.intend(sampleEvent(`e${index}`)).catch(() => undefined)
  await until(() => !journal.files.admitting, 'the failure')
  failing = false
  await journal.files.sync()
  assert.equal(journal.files.admitting, true)
})

test('a batch is sealed only when the disk has its seal, also while another sync is under way', async (context) => {
  const { openJournal } = await setUpRecord(context)
  const { journal } = await openJournal()
  let underWay = 0
  let finished = 0
  replaceDiskCall(context, 'fdatasync', (real) => (file, done) => {
    underWay += 1
    setTimeout(() => {
      finished += 1
      real(file, done)
    }, 60)
  })
  journal.record(sampleEvent('one'))
  const byTimer = journal.files.sync()
  await journal.files.seal(SEALED)
  assert.equal(finished, 1, 'what was written in one turn is synced once, for both')
  await byTimer

  journal.record(sampleEvent('two'))
  const earlier = journal.files.sync()
  await until(() => underWay === 2, 'the sync')
  await journal.files.seal(SEALED)
  assert.equal(finished, 3, 'what was written since is synced after it')
  await earlier
  await sleep(0)
})

test('a sync that fails after a batch was taken counts nothing twice, and old segments go later', async (context) => {
  const { plane, segmentFiles, start } = await setUpRecord(context)
  let failures = 0
  plane.answer = () => {
    failures = 1
    return 204
  }
  replaceDiskCall(context, 'fdatasync', (real) => (file, done) => {
    if (failures > 0) {
      failures -= 1
      done(syncFailure())
    } else real(file, done)
  })
  const { recorder } = await start({ journal: { ...DEFAULT_JOURNAL_SETTINGS, segmentBytesMax: 4_096 } })
  for (let index = 0; index < 60; index += 1) {
    await until(() => recorder.admitting, 'admission')
    const event = sampleEvent(`event ${index}`)
    await recorder.intend(event)
    recorder.record(event)
    if (index % 20 === 19) await until(() => plane.count === index + 1, `event ${index}`)
  }
  await until(() => segmentFiles().length === 1 && recorder.admitting, 'old segments to go', 3_000)
  assert.equal(recorder.progress().pending, 0)
  assert.equal(recorder.progress().pendingBytes, 0)
})
