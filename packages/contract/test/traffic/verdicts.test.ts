import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { ATTACK_CLASSES, attackNames } from '../../src/rules/attack-classes.ts'
import { REASONS } from '../../src/traffic/reasons.ts'
import { OUTCOMES } from '../../src/traffic/values.ts'
import {
  furthest,
  isRefusedByGate,
  UNTESTED,
  VERDICT_WORDS,
  VERDICTS,
  verdictOf,
} from '../../src/traffic/verdicts.ts'

test('every outcome, status and reason has a verdict', () => {
  const reached = new Set<string>()
  for (const outcome of OUTCOMES)
    for (const reason of ['', ...Object.keys(REASONS), 'not yet known'])
      for (const status of [
        0, 100, 101, 200, 204, 301, 400, 401, 403, 404, 405, 429, 499, 500, 502, 599, 999,
      ])
        reached.add(verdictOf({ outcome, status, reason }))
  assert.deepEqual([...reached].sort(), [...VERDICT_WORDS].sort())
})

test('a verdict is what its words say', () => {
  const of = (outcome: (typeof OUTCOMES)[number], status: number, reason = '') =>
    verdictOf({ outcome, status, reason })
  assert.equal(of('origin', 500), 'server_error')
  assert.equal(of('origin', 101), 'reached')
  assert.equal(of('origin', 399), 'reached')
  assert.equal(of('origin', 400), 'refused_by_origin')
  assert.equal(of('origin', 429), 'throttled_by_origin')
  assert.equal(of('origin', 0, 'client_aborted'), 'unanswered')
  assert.equal(of('gate', 502, 'origin_unreachable'), 'unanswered')
  assert.equal(of('gate', 403, 'site_closed'), 'gate')
  assert.equal(of('limit', 429, 'rate_limit'), 'throttled')
  assert.equal(of('block', 500, 'block_rule'), 'block')
  assert.equal(of('firewall', 403, 'not_inspected'), 'firewall')
  assert.equal(of('firewall', 403, 'definition'), 'definition')
})

test('of several verdicts the one that came furthest counts, and those of the gate come last', () => {
  assert.equal(furthest([]), undefined)
  assert.equal(furthest(['firewall', 'refused_by_origin', 'reached']), 'reached')
  assert.equal(furthest(['gate', 'block']), 'block')
  assert.equal(furthest(['firewall', 'definition', 'throttled']), 'definition')
  const ofGate = VERDICT_WORDS.map(isRefusedByGate)
  assert.deepEqual(
    ofGate,
    ofGate.toSorted((left, right) => Number(left) - Number(right)),
  )
})

test('coverage.md has the verdicts with their meaning, in the order of precedence', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/coverage.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, word, meaning]) => [word, meaning])
  assert.deepEqual(rows.slice(0, VERDICT_WORDS.length), Object.entries(VERDICTS))
  assert.deepEqual(rows.slice(VERDICT_WORDS.length, -3), Object.entries(UNTESTED))
})

test('the names of attack classes have the form that their lists give them', () => {
  for (const { owaspApi, wstg, cwe } of Object.values(ATTACK_CLASSES)) {
    for (const name of owaspApi) assert.match(name, /^API([1-9]|10):2023$/)
    for (const name of wstg) assert.match(name, /^WSTG-[A-Z]{4}-\d\d$/)
    assert.ok(cwe.length > 0)
  }
  for (const name of ['toString', '__proto__', 'of_their_own'])
    assert.deepEqual(attackNames(name), { owaspApi: [], wstg: [], cwe: [] })
})
