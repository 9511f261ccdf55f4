/**
 * How the cost of reading a text grows with its length.
 *
 * What is measured is processor time, since others share the machine; the least of several runs, since the garbage
 * collector and the compiler only ever add to it; and texts that take long enough to be measured at all. Double the text
 * takes double the time where the cost is linear, four times where it is quadratic, and the bar lies far from both.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

/** Most that twice the text may cost; measured over two doublings, which noise disturbs half as much. */
const RATIO_MAX = 2.3
/** A run of the shorter text should take so long; shorter ones are measured with more text. */
const RUN_MS_MIN = 2
const CHARS_FIRST = 1_024
const CHARS_MAX = 128 * 1024
const RUNS = 3
/** A machine may be busy for a while; what is superlinear stays so however often it is measured. */
const ATTEMPTS = 20
const PAUSE_MS = 25

/** Makes a text of about so many characters, of the kind that a parser might find hardest. */
export type Make = (chars: number) => string

export interface Growth {
  readonly make: Make
  /** Reads it; what it throws is a refusal, and costs what it costs. */
  readonly read: (text: string) => unknown
}

/** `piece` over and over, between what begins and what ends the text. */
export const repeat =
  (piece: string, begin = '', end = ''): Make =>
  (chars) =>
    begin + piece.repeat(Math.ceil(chars / piece.length)) + end

/** Tests that `read` is linear on each of the texts. */
export function isLinear(name: string, read: Growth['read'], texts: Readonly<Record<string, Make>>): void {
  describe(name, () => {
    for (const [text, make] of Object.entries(texts)) test(text, () => assertLinear({ make, read }))
  })
}

/** Fails where reading twice the text costs more than `RATIO_MAX` times as much. */
export async function assertLinear({ make, read }: Growth): Promise<void> {
  const cost = async (chars: number): Promise<number> => costOf(read, make(chars))
  let chars = CHARS_FIRST
  while (chars < CHARS_MAX && (await cost(chars)) < RUN_MS_MIN) chars *= 2
  // A text of this length that is read in less is not read in quadratic time.
  if ((await cost(chars)) < RUN_MS_MIN) return
  const ratio = await ratioAt(make, read, chars)
  if (ratio <= RATIO_MAX) return
  // What is not linear is so at a longer text, too, of which less is chance.
  const longerRatio = await ratioAt(make, read, 4 * chars)
  assert.ok(
    longerRatio <= RATIO_MAX,
    `each doubling of ${chars} characters costs ${ratio.toFixed(2)} times as much, ${longerRatio.toFixed(2)} of four times as many`,
  )
}

/** How many times as much twice the text costs, measured by four times the text. */
async function ratioAt(make: Make, read: Growth['read'], chars: number): Promise<number> {
  let ratio = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && ratio > RATIO_MAX; attempt++) {
    let [once, fourTimes] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    const [text, longer] = [make(chars), make(4 * chars)]
    for (let run = 0; run < RUNS; run++) {
      once = Math.min(once, await costOf(read, text))
      fourTimes = Math.min(fourTimes, await costOf(read, longer))
    }
    ratio = Math.min(ratio, Math.sqrt(fourTimes / once))
    if (ratio > RATIO_MAX) await sleep(attempt * PAUSE_MS)
  }
  return ratio
}

/** Milliseconds of processor time. */
async function costOf(read: Growth['read'], text: string): Promise<number> {
  const before = process.cpuUsage()
  try {
    await read(text)
  } catch {
    // A refusal.
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
