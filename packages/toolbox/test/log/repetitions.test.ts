import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogHook, Repetitions } from '../../src/index.ts'

const BOUNDS = { intervalMs: 60_000, keysMax: 2 }

test('what comes again is said once an interval, with how often it came, and at once after a pause', (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const repetitions = new Repetitions(BOUNDS)
  const said: [string, number][] = []
  const note = (key: string, words = key) => repetitions.note(key, (count) => said.push([words, count]))
  const since = () => said.splice(0)

  note('away')
  for (let time = 0; time < 1_000; time += 1) note('away', `away ${time}`)
  note('full')
  assert.deepEqual(since(), [
    ['away', 1],
    ['full', 1],
  ])
  context.mock.timers.tick(60_000)
  assert.deepEqual(since(), [['away 999', 1_000]])
  note('full')
  assert.deepEqual(since(), [['full', 1]], 'it was quiet for an interval')
  note('away')
  context.mock.timers.tick(60_000)
  assert.deepEqual(since(), [['away', 1]])
  context.mock.timers.tick(60_000)
  assert.deepEqual(since(), [])
})

test('what is beyond the bound is told apart no more, and what is left is said at the end', (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const repetitions = new Repetitions(BOUNDS)
  const said: [number, number][] = []
  for (let number = 0; number < 100; number += 1)
    repetitions.note(`of ${number}`, (count) => said.push([number, count]))
  assert.deepEqual(said, [
    [0, 1],
    [1, 1],
    [2, 1],
  ])
  repetitions.flush()
  assert.deepEqual(said.slice(3), [[99, 97]])
})

test('the hook holds back warnings and errors alone, by their words and their error', () => {
  const repetitions = new Repetitions()
  const hook = createLogHook(repetitions)
  const lines: unknown[][] = []
  const log = (level: number, ...words: unknown[]) =>
    hook.call(undefined, words, (...given: unknown[]) => lines.push(given), level)
  const away = () => ({ err: new Error('away'), requestId: crypto.randomUUID() })
  for (let time = 0; time < 3; time += 1) {
    log(30, 'served')
    log(50, away(), 'a request failed')
    log(40, 'nearly full')
    log(50, new TypeError('ours'))
  }
  log(50, { err: new Error('gone') }, 'a request failed')
  assert.equal(lines.length, 3 + 1 + 1 + 1 + 1)
  lines.length = 0
  repetitions.flush()
  assert.deepEqual(
    lines.map((words) =>
      words.map((word) => (typeof word === 'object' ? (word as { repeated: number }).repeated : word)),
    ),
    [
      [2, 'a request failed'],
      [2, 'nearly full'],
      [2, 'ours'],
    ],
  )
})
