/**
 * What the default rules find of forty attacks in each disguise and between lines of code and paragraphs, and how many of forty harmless
 * texts raise an alarm there.
 */
import { createEngine, maintainedRules, ownRules } from '@sallyport/firewall'
import { inspect } from '../packages/firewall/test/support/corpus.ts'
import { ATTACKS, HARMLESS } from '../packages/firewall/test/support/disguises/attacks.ts'
import { DISGUISES } from '../packages/firewall/test/support/disguises/disguises.ts'
import { classesOfPlain, measure } from '../packages/firewall/test/support/disguises/measure.ts'
import { CODE, withinCode, withinProse } from './firewall-weights/code-samples.ts'

const FOUND_MIN = 0.95

const engine = createEngine([maintainedRules(), ownRules()])
const plain = await classesOfPlain(engine)
let attacks = 0
let missed = 0
let below = 0
let alarms = 0
for (const disguise of DISGUISES) {
  const measured = await measure(engine, disguise, plain)
  const share = 1 - measured.missed.length / measured.attacks
  attacks += measured.attacks
  missed += measured.missed.length
  if (share < FOUND_MIN) below++
  if (!disguise.isEvidence) alarms += measured.alarms.length
  const found = `${Math.round(share * 100)} %`.padStart(6)
  console.log(`${found} of ${measured.attacks}, ${measured.alarms.length} alarms  ${disguise.kind}`)
}
const places = Object.keys(CODE).map((language) => ({
  place: `between lines of ${language}`,
  request: (text: string) => withinCode(text, language),
}))
for (const { place, request } of [...places, { place: 'between paragraphs', request: withinProse }]) {
  let found = 0
  for (const { text } of ATTACKS) if ((await inspect(engine, request(text))).hits.length > 0) found++
  let raised = 0
  for (const text of HARMLESS) if ((await inspect(engine, request(text))).hits.length > 0) raised++
  console.log(`${found} of ${ATTACKS.length}, ${raised} alarms  ${place}`)
}
console.log(`${DISGUISES.length} disguises, ${below} below ${FOUND_MIN * 100} %`)
console.log(
  `${attacks - missed} of ${attacks} attacks found; ${alarms} alarms where the disguise is no evidence itself`,
)
