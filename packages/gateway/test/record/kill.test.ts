import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RecordUnderTest, setUpRecord, until } from './support.ts'

const CHILD = join(import.meta.dirname, 'recording-child.ts')
const ROUNDS = 12

/** Waits until the child works; false where it ends before. */
const isReady = (child: ChildProcessByStdio<null, Readable, null>): Promise<boolean> =>
  Promise.race([once(child.stdout, 'data').then(() => true), once(child, 'exit').then(() => false)])

/** Sends what the last child had no time for. */
async function drain({ start }: RecordUnderTest, directory: string): Promise<void> {
  const { recorder } = await start({ directory })
  try {
    await until(() => recorder.progress().pending === 0, 'the rest to be sent', 60_000)
  } finally {
    await recorder.close()
  }
}

test('killed at any moment, each request that the origin saw is in the record exactly once', async (context) => {
  const record = await setUpRecord(context)
  const { directory, plane, url } = record
  const journal = join(directory, 'journal')
  const origin = join(directory, 'origin')
  // Some batches are refused for now, some are stored although their answer is lost.
  plane.answer = (_header, attempt) => (attempt % 7 === 0 ? 503 : attempt % 5 === 0 ? 'break' : 204)
  const run = (round: number) =>
    spawn(process.execPath, [CHILD, journal, url, origin, `round${round}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  for (let round = 0; round < ROUNDS; round += 1) {
    const child = run(round)
    const ended = once(child, 'exit')
    // Every third one is killed while it starts, and so in the middle of its recovery.
    if (round % 3 !== 2) assert.ok(await isReady(child), 'it starts')
    await sleep(50 + Math.random() * 450)
    child.kill('SIGKILL')
    await ended
  }
  const last = run(ROUNDS)
  const ended = once(last, 'exit')
  assert.ok(await isReady(last), 'it starts')
  await sleep(300)
  last.kill('SIGTERM')
  const [code] = await ended
  assert.equal(code, 0)
  plane.answer = () => 204
  await drain(record, journal)

  const seen = readFileSync(origin, 'utf8').trimEnd().split('\n')
  assert.ok(seen.length > 1_000, `the origin saw only ${seen.length}`)
  assert.equal(new Set(seen).size, seen.length)
  const missing = seen.filter((id) => !plane.events.has(`${id} request`))
  assert.deepEqual(missing, [])
  const twice = [...plane.events].filter(([, events]) => events.length !== 1)
  assert.deepEqual(twice, [])
  assert.deepEqual(plane.changed, [], 'a repeated batch has the same events')
  const outcomes = Map.groupBy([...plane.events.values()].flat(), ({ outcome }) => outcome)
  context.diagnostic(
    `the origin saw ${seen.length}; recorded ${outcomes.get('origin')?.length} ended, ${outcomes.get('interrupted')?.length} interrupted`,
  )
})
