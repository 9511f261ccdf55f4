/** A disk that is full: what is intended is recorded once all the same, and all goes on by itself when there is room again. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs, { mkdtempSync, readdirSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { DEFAULT_JOURNAL_SETTINGS, type JournalSettings } from '../../src/settings.ts'
import { diskError, replaceDiskCall, sampleEvent, setUpRecord, until } from './support.ts'

/** Bounds that the disk is smaller than. */
const UNBOUNDED: JournalSettings = {
  segmentBytesMax: 4_096,
  totalBytesMax: 2 ** 30,
  whenFull: 'stop',
}

/** Lets the files of a directory take so many bytes and no more, until the test ends. What is written over is there already. */
function limitDisk(context: TestContext): { bytes: number; directory: string } {
  const disk = { bytes: Number.POSITIVE_INFINITY, directory: '' }
  const free = (): number =>
    disk.bytes -
    readdirSync(disk.directory)
      .filter((name) => name.endsWith('.journal'))
      // What was listed may be deleted meanwhile.
      .reduce(
        (sum, name) => sum + (statSync(join(disk.directory, name), { throwIfNoEntry: false })?.size ?? 0),
        0,
      )
  const full = (): Error => diskError('ENOSPC', 'no space left on device')
  replaceDiskCall(context, 'writeSync', (real) => (file, bytes, from, length, at) => {
    const missing = at + length - fs.fstatSync(file).size
    const room = free()
    if (missing <= room) return real(file, bytes, from, length, at)
    const some = Math.max(0, length - (missing - Math.max(0, room)))
    if (some === 0) throw full()
    return real(file, bytes, from, some, at)
  })
  replaceDiskCall(context, 'openSync', (real) => (path, flags, mode) => {
    if (flags === 'wx+' && path.startsWith(disk.directory) && free() <= 0) throw full()
    return real(path, flags, mode)
  })
  return disk
}

type Step =
  | { readonly kind: 'requests'; readonly count: number }
  | { readonly kind: 'control plane'; readonly isThere: boolean }
  /** Others take or free room on the disk. */
  | { readonly kind: 'disk'; readonly bytes: number }
  | { readonly kind: 'restart' }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('requests'), count: fc.integer({ min: 1, max: 60 }) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('control plane'), isThere: fc.boolean() }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('disk'), bytes: fc.constantFrom(0, 5_000, 20_000, 40_000) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart') }) },
  ),
  { minLength: 4, maxLength: 14 },
)

test('each request that was admitted is recorded once, however full the disk is meanwhile', async (context) => {
  const disk = limitDisk(context)
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const { directory, plane, start } = await setUpRecord(context)
      disk.directory = directory
      disk.bytes = Number.POSITIVE_INFINITY
      const settings = { journal: UNBOUNDED, closeTimeoutMs: 100 }
      let { recorder } = await start(settings)
      disk.bytes = 40_000
      const admitted = new Set<string>()
      let count = 0
      for (const step of taken) {
        if (step.kind === 'disk') disk.bytes = step.bytes
        else if (step.kind === 'control plane') plane.answer = () => (step.isThere ? 204 : 503)
        else if (step.kind === 'restart') {
          await recorder.close()
          recorder = (await start(settings)).recorder
        } else
          for (let index = 0; index < step.count; index += 1) {
            count += 1
            const event = sampleEvent(`event-${count}`)
            const isAdmitted = await recorder.intend(event).then(
              () => true,
              () => false,
            )
            if (isAdmitted) admitted.add(event.id)
            recorder.record(event)
          }
      }
      // Nobody frees room but the journal itself, and the control plane takes again.
      disk.bytes = Math.max(disk.bytes, 40_000)
      plane.answer = () => 204
      await until(() => recorder.progress().pending === 0 && recorder.admitting, 'the recovery')
      await recorder.intend(sampleEvent('afterwards'))
      recorder.record(sampleEvent('afterwards'))
      await until(() => plane.events.has('afterwards request'), 'what comes afterwards')
      await recorder.close()
      for (const id of admitted) assert.equal(plane.events.get(`${id} request`)?.length, 1, id)
      for (const [key, events] of plane.events) assert.equal(events.length, 1, key)
      assert.deepEqual(plane.changed, [])
    }),
    { numRuns: 15, endOnFailure: true },
  )
})

test('a disk that the journal filled is freed by what the control plane takes, in a process and in the next one', async (context) => {
  const { directory, plane, start } = await setUpRecord(context)
  const disk = limitDisk(context)
  disk.directory = directory
  for (const isRestarted of [false, true]) {
    plane.answer = () => 503
    const first = await start({ journal: UNBOUNDED, closeTimeoutMs: 10 })
    disk.bytes = 60_000
    const admitted: string[] = []
    for (let count = 0; first.recorder.admitting; count += 1) {
      const event = sampleEvent(`${isRestarted}-${count}`)
      const refused = await first.recorder.intend(event).catch(() => 'refused')
      if (refused !== 'refused') admitted.push(event.id)
      first.recorder.record(event)
    }
    await until(() => first.lines.some((line) => line.includes('ENOSPC')), 'what the log says of it')
    let { recorder } = first
    if (isRestarted) {
      await recorder.close()
      recorder = (await start({ journal: UNBOUNDED })).recorder
    }
    plane.answer = () => 204
    await until(() => recorder.admitting && recorder.progress().pending === 0, 'the recovery')
    for (const id of admitted) assert.equal(plane.events.get(`${id} request`)?.length, 1, id)
    disk.bytes = Number.POSITIVE_INFINITY
    await recorder.close()
  }
})

test('a journal that could not begin its next file goes on by itself once it can, also while nobody takes its batches', async (context) => {
  const { plane, start } = await setUpRecord(context)
  plane.answer = () => 503
  const { recorder } = await start({ journal: UNBOUNDED, closeTimeoutMs: 10 })
  let isRefusing = true
  replaceDiskCall(context, 'openSync', (real) => (path, flags, mode) => {
    if (isRefusing && flags === 'wx+') throw diskError('EMFILE', 'too many open files')
    return real(path, flags, mode)
  })
  const event = sampleEvent('large', { target: `/${'a'.repeat(2 * UNBOUNDED.segmentBytesMax)}` })
  await recorder.intend(event).catch(() => undefined)
  recorder.record(event)
  await until(() => !recorder.admitting, 'the refusal')
  // The end of the request is written by then, and nothing waits that would be tried again.
  await sleep(500)
  isRefusing = false
  await until(() => recorder.admitting, 'the recovery')
  await recorder.close()
})

/** A file system of so many bytes of its own; undefined where this process may not mount one. */
async function smallDisk(context: TestContext, bytes: number): Promise<string | undefined> {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', directory], { stdio: 'ignore' })
  } catch {
    fs.rmSync(directory, { recursive: true })
    context.skip('no file system may be mounted here')
    return undefined
  }
  context.after(() => {
    execFileSync('umount', ['-l', directory])
    fs.rmSync(directory, { recursive: true })
  })
  return directory
}

test('on a small disk the default bound leaves room, and the setting says what then happens', async (context) => {
  const disk = await smallDisk(context, 4 * 1024 * 1024)
  if (!disk) return
  const { plane, start } = await setUpRecord(context)
  plane.answer = () => 503
  for (const whenFull of ['stop', 'drop-oldest'] as const) {
    const journal = { ...DEFAULT_JOURNAL_SETTINGS, whenFull }
    const { recorder, lines } = await start({ directory: join(disk, whenFull), journal, closeTimeoutMs: 10 })
    let count = 0
    for (; recorder.admitting && count < 20_000; count += 1) {
      await recorder.intend(sampleEvent(`${whenFull}-${count}`)).catch(() => undefined)
      recorder.record(sampleEvent(`${whenFull}-${count}`))
    }
    assert.equal(recorder.admitting, whenFull === 'drop-oldest')
    assert.equal(recorder.progress().dropped > 0, whenFull === 'drop-oldest')
    const { bavail, bsize } = statfsSync(disk)
    assert.ok(bavail * bsize > 256 * 1024, 'the disk is not full')
    assert.ok(!lines.some((line) => line.includes('ENOSPC')), lines.join('\n'))
    await recorder.close()
  }
})

test('a small disk that is full is freed by itself: by the control plane, or when others make room', async (context) => {
  const disk = await smallDisk(context, 2 * 1024 * 1024)
  if (!disk) return
  const { plane, start } = await setUpRecord(context)
  plane.answer = () => 503
  const directory = join(disk, 'journal')
  const { recorder, lines } = await start({
    directory,
    journal: { ...UNBOUNDED, segmentBytesMax: 64 * 1024 },
  })
  const admitted: string[] = []
  let count = 0
  const request = async (): Promise<void> => {
    count += 1
    const event = sampleEvent(`event-${count}`)
    await recorder.intend(event).then(
      () => admitted.push(event.id),
      () => undefined,
    )
    recorder.record(event)
  }
  while (recorder.admitting) await request()
  assert.ok(lines.some((line) => line.includes('ENOSPC')))
  assert.ok(admitted.length > 1_000)
  plane.answer = () => 204
  await until(() => recorder.admitting && recorder.progress().pending === 0, 'the recovery')
  // Now it is others who fill it.
  const filler = join(disk, 'filler')
  for (let bytes = 1024 * 1024; bytes > 0; )
    try {
      writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' })
    } catch {
      bytes = Math.floor(bytes / 2)
    }
  while (recorder.admitting) await request()
  fs.rmSync(filler)
  await until(() => recorder.admitting, 'the recovery')
  await request()
  await until(() => recorder.progress().pending === 0, 'the acknowledgement')
  for (const id of admitted) assert.equal(plane.events.get(`${id} request`)?.length, 1, id)
  await recorder.close()
})

test('where the oldest may be dropped, requests go on although the disk is full', async (context) => {
  const disk = await smallDisk(context, 1024 * 1024)
  if (!disk) return
  const { plane, start } = await setUpRecord(context)
  plane.answer = () => 503
  const journal: JournalSettings = { ...UNBOUNDED, segmentBytesMax: 64 * 1024, whenFull: 'drop-oldest' }
  const { recorder, lines } = await start({ directory: join(disk, 'journal'), journal, closeTimeoutMs: 10 })
  for (let index = 0; index < 5_000; index += 1) {
    await recorder.intend(sampleEvent(`event-${index}`))
    recorder.record(sampleEvent(`event-${index}`))
  }
  assert.ok(recorder.progress().dropped > 0)
  assert.ok(lines.some((line) => line.includes('oldest')))
  await recorder.close()
})
