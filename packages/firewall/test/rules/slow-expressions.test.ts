/** What one rule may cost at worst: the time of a window of text made of what its own expression looks for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WINDOW_BYTES } from '../../src/decoding/windows.ts'
import { maintainedRules, ownRules } from '../../src/index.ts'
import { createNativeEngine } from '../../src/native-engine.ts'
import { compileRules, type EngineRule } from '../../src/rules/compiled-rules.ts'
import { createMutations } from '../support/mutations.ts'

/** Half a window by all conditions together takes 0.6 to 1 ms of ordinary text. */
const SLOWEST_MS = 3
/** So many times as long as that on a machine that is slower. */
const SLOWEST_TIMES = 4
const ORDINARY = 'The order of a customer in Lisbon is on its way; it left the warehouse this morning. '
const MIXTURES = 40
const ATTEMPTS = 25
const ANY_RULE = [
  "'",
  '"',
  ' ',
  '\n',
  ';',
  '<',
  '(',
  ')',
  '[',
  '{',
  '$',
  '%',
  '=',
  '.',
  '/',
  '\\',
  ':',
  'a',
  '0',
  'é',
]

const { random } = createMutations(7)
const pick = (tokens: readonly string[]): string => tokens[random(tokens.length)] ?? ''

/** One window of text that repeats `unit`. */
const windowOf = (unit: string): string =>
  unit.repeat(Math.ceil(WINDOW_BYTES / unit.length)).slice(0, WINDOW_BYTES / 2)

function textsFor({ conditions }: EngineRule): string[] {
  const { regex = '', list = [] } = conditions[0]?.parameters ?? {}
  const words = regex === '' ? list.slice(0, 40) : (regex.match(/[a-z_]{2,}|[^\w\s\\]/gi) ?? [])
  const tokens = [...new Set([...words, ...ANY_RULE])]
  const mixtures = Array.from({ length: MIXTURES }, () =>
    Array.from({ length: 1 + random(5) }, () => pick(tokens)).join(''),
  )
  const noise = Array.from({ length: MIXTURES }, () =>
    Array.from({ length: 800 }, () => pick(tokens)).join(''),
  )
  return [...tokens.slice(0, 60), ...mixtures, ...noise].map(windowOf)
}

/** The least of some attempts, because a busy machine makes anything slow. */
function leastMs(work: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && least > SLOWEST_MS / 2; attempt++) {
    const before = performance.now()
    work()
    least = Math.min(least, performance.now() - before)
  }
  return least
}

test(`no condition takes more than ${SLOWEST_MS} ms for half a window of hostile text`, () => {
  const { engineRules, rulesByCondition } = compileRules([...maintainedRules().rules, ...ownRules().rules])
  const all = createNativeEngine(engineRules)
  const ordinary = { 'server.request.query': { '0': [windowOf(ORDINARY)] } }
  /** Beside what is compared with it, so that a machine that is slower just then is so for both. */
  const ordinaryMs = (): number => leastMs(() => all.run(ordinary, 1_000_000))
  const slow: string[] = []
  for (const [index, rule] of engineRules.entries()) {
    const engine = createNativeEngine([rule])
    const [input] = rule.conditions[0]?.parameters.inputs ?? []
    assert.ok(input)
    for (const text of textsFor(rule)) {
      const payload = { [input.address]: { [input.key_path?.[0] ?? '0']: [text] } }
      const ms = leastMs(() => engine.run(payload, 1_000_000))
      if (ms > SLOWEST_MS && ms > SLOWEST_TIMES * ordinaryMs())
        slow.push(`${rulesByCondition[index]?.[0]?.id}: ${ms} ms for ${text.slice(0, 60)}`)
    }
    engine.dispose()
  }
  all.dispose()
  assert.deepEqual(slow, [])
})
