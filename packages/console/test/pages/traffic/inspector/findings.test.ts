import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FirewallHit } from '@sallyport/contract'
import { findingsOf, rulesOf } from '../../../../src/pages/traffic/inspector/findings.ts'

const hit = (given: Partial<FirewallHit>): FirewallHit => ({
  rule: 'crs-930-100',
  class: 'lfi',
  severity: 'medium',
  part: 'query',
  parameter: 'name',
  excerpt: '../',
  excluded: false,
  scorePercent: 60,
  reason: '',
  ...given,
})

test('hits of one class in one place are one finding', () => {
  const hits = [
    hit({ excluded: true, rule: 'passed', severity: 'critical' }),
    hit({}),
    hit({ rule: 'crs-930-110', severity: 'high', scorePercent: 97, reason: 'Path traversal: dots' }),
    hit({ rule: 'crs-930-110' }),
    hit({ parameter: 'other', severity: 'critical' }),
    hit({ class: 'xss', scorePercent: 99 }),
  ]
  const findings = findingsOf(hits)
  assert.deepEqual(
    findings.map(({ class: attackClass, parameter, severity, hits: { length }, excluded }) => [
      attackClass,
      parameter,
      severity,
      length,
      excluded,
    ]),
    [
      ['lfi', 'other', 'critical', 1, false],
      ['lfi', 'name', 'high', 3, false],
      ['xss', 'name', 'medium', 1, false],
      ['lfi', 'name', 'critical', 1, true],
    ],
  )
  const several = findings[1]
  assert.ok(several)
  assert.deepEqual(rulesOf(several), ['crs-930-100', 'crs-930-110'])
  assert.deepEqual([several.scorePercent, several.reason], [97, 'Path traversal: dots'])
  assert.deepEqual(findingsOf([]), [])
})

test('names that hold separators are not mistaken for one another', () => {
  assert.equal(
    findingsOf([hit({ part: 'a', parameter: 'b c' }), hit({ part: 'a b', parameter: 'c' })]).length,
    2,
  )
})
