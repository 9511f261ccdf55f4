/** What a check is tied to, among as many operations as a site may have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Check, CoveredOperation } from '@sallyport/contract'
import { presentTies, verdictOfCheck } from '../../../../src/features/projects/checks/check-verdict.ts'

const SITE = '01890a5d-ac96-774b-bcce-b302099a8057'
const OPERATIONS = 10_000
const operations = Array.from(
  { length: OPERATIONS },
  (_, index): CoveredOperation => ({
    method: 'GET',
    template: `/v1/of/{tenant}/r${index}/{id}`,
    source: 'given',
    ...{ requests: 1, verdicts: { reached: 1 }, uninspected: 0, hackers: [], lastSeen: null },
    ...{ verdict: null, untested: 'untried', cells: [] },
  }),
)
const sites = {
  names: new Map([[SITE, 'shop.gate.example']]),
  maps: new Map([[SITE, { classes: [], operations, isPartial: false }]]),
}

const checkOf = (ties: Check['ties']): Check => ({
  state: 'in_progress',
  dueDate: null,
  note: '',
  attackClasses: [],
  ties,
})
const tie = (template: string, method = 'GET') => ({ siteId: SITE, method, template })

test('a tie means the operation of its method and template, whatever its parameters are called', () => {
  const check = checkOf([
    tie('/v1/of/{org}/r7/{number}'),
    tie('/v1/of/{org}/r7/{number}', 'POST'),
    tie('/v1/of/x/r7/{id}'),
    tie('/v1/of/{tenant}/r8/{id}'),
  ])
  const statuses = presentTies(check, sites).map(({ status }) => status)
  assert.deepEqual(statuses, ['in_force', 'vanished', 'vanished', 'in_force'])
  assert.equal(verdictOfCheck(check, sites)?.operations, 2)
  assert.equal(verdictOfCheck(checkOf([{ siteId: SITE }]), sites)?.operations, OPERATIONS)
})

test('a page of as many ties as it may have is made in no time', () => {
  const begun = performance.now()
  for (let item = 0; item < 20; item += 1) {
    const check = checkOf(
      Array.from({ length: 100 }, (_, index) => tie(`/v1/of/{a}/r${item * 100 + index}/{b}`)),
    )
    assert.equal(verdictOfCheck(check, sites)?.operations, 100)
    assert.ok(presentTies(check, sites).every(({ status }) => status === 'in_force'))
  }
  // Every tie beside every operation would be 25 s.
  const tookMs = performance.now() - begun
  assert.ok(tookMs < 2_500, `${tookMs} ms`)
})

test('of a site whose map cannot be read now nothing is said, and of others what is known', () => {
  const other = '01890a5d-ac96-774b-bcce-b302099a8058'
  const half = { ...sites, names: new Map([...sites.names, [other, 'slow.gate.example']]) }
  const ofOther = checkOf([{ siteId: other, method: 'GET', template: '/a' }, tie('/v1/of/{org}/r7/{number}')])
  assert.deepEqual(
    presentTies(ofOther, half).map(({ status }) => status),
    ['unknown', 'in_force'],
  )
  assert.equal(verdictOfCheck(ofOther, half), null)
  assert.equal(verdictOfCheck(checkOf([tie('/v1/of/{org}/r7/{number}')]), half)?.operations, 1)
})
