/**
 * Attacks that are found plain are found in every disguise, by a rule of the same class, and what is harmless stays so in it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, maintainedRules, ownRules } from '../src/index.ts'
import { ATTACKS, HARMLESS } from './support/disguises/attacks.ts'
import { DISGUISES } from './support/disguises/disguises.ts'
import { classesOfPlain, measure } from './support/disguises/measure.ts'

const FOUND_MIN = 0.95
/** Of the harmless texts. JSON with its quotes as entities reads like a command behind a semicolon. */
const ALARMS_MAX = 1

const engine = createEngine([maintainedRules(), ownRules()])
const plain = await classesOfPlain(engine)

test('forty attacks are found plain', () => {
  assert.equal(ATTACKS.length, 40)
  for (const { text } of ATTACKS) assert.notEqual(plain.get(text)?.size, 0, text)
  assert.equal(HARMLESS.length, 40)
})

for (const group of Object.values(Object.groupBy(DISGUISES, ({ kind }) => kind.split(':')[0] ?? '')))
  test(`disguises of ${group?.[0]?.kind.split(':')[0]}`, async (context) => {
    for (const disguise of group ?? []) {
      const { kind, attacks, missed, alarms } = await measure(engine, disguise, plain)
      assert.ok(attacks > 0, kind)
      const found = 1 - missed.length / attacks
      context.diagnostic(`${Math.round(found * 100)} % of ${attacks}, ${alarms.length} alarms: ${kind}`)
      assert.ok(found >= FOUND_MIN, `${kind}: ${missed.join('\n')}`)
      if (!disguise.isEvidence) assert.ok(alarms.length <= ALARMS_MAX, `${kind}: ${alarms.join('\n')}`)
    }
  })
