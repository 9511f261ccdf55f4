import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HANG_LOOK_INTERVAL_MS, HangWatch } from '../../../src/threads/watch/hang-watch.ts'

const SILENCE_MAX_MS = 10_000

/** Looks every half second; returns after how many milliseconds the thread counts as hung. */
function hungAfter(
  watch: HangWatch,
  heartbeatsAt: (ms: number) => number,
  untilMs: number,
  isStarting = false,
): number | null {
  for (let now = HANG_LOOK_INTERVAL_MS; now <= untilMs; now += HANG_LOOK_INTERVAL_MS)
    if (watch.isHung(heartbeatsAt(now), isStarting, now)) return now
  return null
}

test('a thread that stands still is hung once the silence is too long, and not before', () => {
  const hung = hungAfter(new HangWatch(SILENCE_MAX_MS, 0), (ms) => Math.min(8, ms / 250), 60_000)
  assert.equal(hung, 2_000 + SILENCE_MAX_MS + HANG_LOOK_INTERVAL_MS)
})

test('a thread that is being started has longer', () => {
  assert.equal(
    hungAfter(new HangWatch(SILENCE_MAX_MS, 0), () => 0, 60_000, true),
    null,
  )
  assert.equal(
    hungAfter(new HangWatch(SILENCE_MAX_MS, 0), () => 0, 600_000, true),
    60_500,
  )
})

test('a thread that is slow is not hung, nor a new one after one that hung', () => {
  const slow = (ms: number): number => 1 + Math.floor(ms / 9_000)
  assert.equal(hungAfter(new HangWatch(SILENCE_MAX_MS, 0), slow, 600_000), null)
  const watch = new HangWatch(SILENCE_MAX_MS, 0)
  const hung = hungAfter(watch, () => 5, 60_000) ?? assert.fail('it hangs')
  assert.equal(watch.isHung(0, true, hung + 500), false)
  assert.equal(watch.isHung(1, false, hung + 1_000), false)
})

test('however long the process did not run, a thread that beats soon after is not hung', () => {
  const sleeps = fc.array(fc.integer({ min: 1, max: 10_000_000 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(sleeps, (pausesMs) => {
      const watch = new HangWatch(SILENCE_MAX_MS, 0)
      let now = 0
      let heartbeats = 1
      for (const pauseMs of pausesMs) {
        now += pauseMs
        // The watch runs first, before the thread has had any time.
        assert.equal(watch.isHung(heartbeats, false, now), false)
        heartbeats += 1
        now += HANG_LOOK_INTERVAL_MS
        assert.equal(watch.isHung(heartbeats, false, now), false)
      }
    }),
  )
})
