import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CheckVerdict, ProjectCheck } from '@sallyport/contract'
import { contradiction, dayWords, verdictWords } from '../../../src/pages/projects/check-words.ts'

const VERDICT: CheckVerdict = {
  ...{ operations: 2, untested: 0, requests: 50, attempts: 41, reachedOrigin: 38, refusedByGate: 3 },
  ...{ verdicts: {}, verdict: 'reached', hackers: ['a', 'b'], untried: [], lastSeen: null, isPartial: false },
}
const check = (verdict: Partial<CheckVerdict> | null, given: Partial<ProjectCheck> = {}): ProjectCheck => ({
  ...{ id: '7', name: 'Login', type: null, location: null, state: 'passed', dueDate: null, isOverdue: false },
  ...{ note: '', attackClasses: [], ties: [] },
  verdict: verdict && { ...VERDICT, ...verdict },
  ...given,
})

test('the record of a check is one sentence', () => {
  assert.equal(
    verdictWords(check({})),
    '41 attempts by 2 researchers, 38 answered by the origin, 3 refused by the gate',
  )
  assert.equal(
    verdictWords(
      check(
        { attempts: 1, reachedOrigin: 1, refusedByGate: 0, hackers: ['a'], untested: 1, untried: ['xxe'] },
        { attackClasses: ['xxe', 'xss'] },
      ),
    ),
    '1 attempt by 1 researcher, 1 answered by the origin; 1 of 2 operations never tried; never tried: XML external entity',
  )
  assert.match(verdictWords(check({ untried: ['xxe', 'xss'] })), /; 2 classes never tried$/)
  assert.equal(verdictWords(check({ attempts: 0 })), 'Never tried; 50 requests')
  assert.equal(verdictWords(check({ attempts: 0, requests: 0 })), 'Never tried')
  assert.equal(verdictWords(check({ operations: 0 })), 'Everything it is tied to was removed')
  assert.equal(verdictWords(check(null)), 'Not tied to a site')
})

test('what passed without a test of it says so', () => {
  assert.equal(contradiction(check({})), '')
  assert.equal(contradiction(check({ attempts: 0 })), 'Passed, although nothing was tried')
  assert.equal(contradiction(check({ refusedByGate: 41 })), 'Passed, although the gate refused every attempt')
  assert.equal(contradiction(check({ attempts: 0 }, { state: 'issues' })), '')
  assert.equal(contradiction(check(null)), '')
})

test('a day is the same wherever one is', () => {
  assert.equal(dayWords('2026-12-18'), '18 Dec 2026')
  assert.equal(dayWords('0001-01-01'), '1 Jan 1')
})
