import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CountingControlPlane, openJournal, temporaryDirectory } from './support.ts'

const CHILD = join(import.meta.dirname, 'recording-child.ts')
const ROUNDS = 12

test('killed at any moment, each request that the origin saw is in the record exactly once', async (context) => {
  const directory = await temporaryDirectory(context)
  const journal = join(directory, 'journal')
  const origin = join(directory, 'origin')
  const plane = new CountingControlPlane()
  const url = await plane.listen(context)
  // Some batches are refused for now, some are stored although their answer is lost.
  plane.answer = (_header, attempt) => (attempt % 7 === 0 ? 503 : attempt % 5 === 0 ? 'break' : 204)
  const run = (round: number) =>
    spawn(process.execPath, [CHILD, journal, url, origin, `round${round}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  for (let round = 0; round < ROUNDS; round += 1) {
    const child = run(round)
    const ended = once(child, 'exit')
    await sleep(150 + Math.random() * 500)
    child.kill('SIGKILL')
    await ended
  }
  const last = run(ROUNDS)
  const ended = once(last, 'exit')
  await sleep(800)
  last.kill('SIGTERM')
  const [code] = await ended
  assert.equal(code, 0)
  plane.answer = () => 204
  const { journal: left } = await openJournal(journal)
  assert.equal(left.progress().pending, 0, 'a clean stop leaves nothing')
  await left.close()

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
