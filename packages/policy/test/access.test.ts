import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCESS_REASONS } from '@sallyport/contract'
import fc from 'fast-check'
import {
  type AccessReason,
  decideAccess,
  isAdmitted,
  isOpenOrOpensLater,
  isOrganizationOpen,
  isSiteOpen,
  windowState,
} from '../src/index.ts'

const NOW = 1_000

interface Facts {
  readonly organizationIsOpen: boolean
  readonly enabled: boolean
  readonly startsAt: number | null
  readonly stopsAt: number | null
  readonly isInvited: boolean
  readonly paused: boolean
  readonly expiresAt: number | null
  readonly access: 'all' | 'listed'
  readonly isListed: boolean
}
const ADMITTED: Facts = {
  organizationIsOpen: true,
  enabled: true,
  startsAt: null,
  stopsAt: null,
  isInvited: true,
  paused: false,
  expiresAt: null,
  access: 'all',
  isListed: false,
}

const decide = (changes: Partial<Facts>, now = NOW): AccessReason => {
  const facts = { ...ADMITTED, ...changes }
  const { enabled, startsAt, stopsAt, access, paused, expiresAt } = facts
  return decideAccess(
    {
      organizationIsOpen: facts.organizationIsOpen,
      site: { config: { enabled, startsAt, stopsAt, access }, lists: (id) => id === 'ada' && facts.isListed },
      researcher: facts.isInvited ? { id: 'ada', paused, expiresAt } : undefined,
    },
    now,
  )
}

test('each rule refuses, and the earlier one of the gate’s order says so', () => {
  const rules: readonly (readonly [Partial<Facts>, AccessReason])[] = [
    [{ organizationIsOpen: false }, 'organization_closed'],
    [{ enabled: false }, 'site_closed'],
    [{ startsAt: NOW + 1 }, 'site_closed'],
    [{ stopsAt: NOW }, 'site_closed'],
    [{ isInvited: false }, 'unknown_researcher'],
    [{ paused: true }, 'researcher_paused'],
    [{ expiresAt: NOW }, 'researcher_expired'],
    [{ access: 'listed' }, 'researcher_not_listed'],
  ]
  for (const [index, [changes, reason]] of rules.entries()) {
    assert.equal(decide(changes), reason)
    const later = Object.assign({}, ...rules.slice(index).map(([change]) => change), changes)
    assert.equal(decide(later), reason)
  }
  assert.equal(decide({}), 'admitted_all')
  assert.equal(decide({ access: 'listed', isListed: true }), 'admitted_listed')
  const reasons = new Set([...rules.map(([, reason]) => reason), 'admitted_all', 'admitted_listed'])
  assert.deepEqual([...reasons].toSorted(), [...ACCESS_REASONS].toSorted())
})

test('a window holds its first instant and not its last, an expiry ends at its instant', () => {
  assert.equal(decide({ startsAt: NOW, stopsAt: NOW + 1, expiresAt: NOW + 1 }), 'admitted_all')
  assert.equal(windowState({ startsAt: NOW + 1, stopsAt: null }, NOW), 'before')
  assert.equal(windowState({ startsAt: NOW, stopsAt: NOW + 1 }, NOW), 'open')
  assert.equal(windowState({ startsAt: null, stopsAt: NOW }, NOW), 'over')
})

test('nobody is let in whom one of the rules alone would refuse', () => {
  const instant = fc.option(fc.integer({ min: NOW - 2, max: NOW + 2 }), { nil: null })
  const facts: fc.Arbitrary<Facts> = fc.record({
    organizationIsOpen: fc.boolean(),
    enabled: fc.boolean(),
    startsAt: instant,
    stopsAt: instant,
    isInvited: fc.boolean(),
    paused: fc.boolean(),
    expiresAt: instant,
    access: fc.constantFrom('all', 'listed'),
    isListed: fc.boolean(),
  })
  fc.assert(
    fc.property(facts, (given) => {
      const { enabled, startsAt, stopsAt, isInvited, paused, expiresAt, access, isListed } = given
      const isInWindow = (startsAt ?? NOW) <= NOW && NOW < (stopsAt ?? NOW + 1)
      const isWelcome = isInvited && !paused && NOW < (expiresAt ?? NOW + 1)
      const mayEnter =
        given.organizationIsOpen && enabled && isInWindow && isWelcome && (access === 'all' || isListed)
      assert.equal(isAdmitted(decide(given)), mayEnter)
    }),
    { numRuns: 2_000 },
  )
})

test('a site that is open, or will be, is not over', () => {
  const instant = fc.option(fc.integer({ min: NOW - 2, max: NOW + 2 }), { nil: null })
  fc.assert(
    fc.property(fc.boolean(), instant, instant, (enabled, startsAt, stopsAt) => {
      const site = { enabled, startsAt, stopsAt }
      assert.equal(isOpenOrOpensLater(site, NOW), enabled && NOW < (stopsAt ?? NOW + 1))
      if (isSiteOpen(site, NOW)) assert.ok(isOpenOrOpensLater(site, NOW))
    }),
  )
})

test('an organization is closed by its operator as by its kill switch', () => {
  assert.ok(isOrganizationOpen({ isSuspended: false, isStopped: false }))
  assert.ok(!isOrganizationOpen({ isSuspended: true, isStopped: false }))
  assert.ok(!isOrganizationOpen({ isSuspended: false, isStopped: true }))
})
