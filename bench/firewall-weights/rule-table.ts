/**
 * Says of each default rule what it is worth: the attacks of the public sets that nothing else finds at `balanced`, and its share of the alarms on honest samples.
 *
 *     node bench/firewall-weights/rule-table.ts [--recordings <folder>]
 *
 * writes `docs/firewall-rules.md`. The same samples give the same page.
 */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { maintainedRules, ownRules, type Rule } from '@sallyport/firewall'
import { isSignal } from '../../packages/firewall/src/rules/rule-classes.ts'
import { FITTED_WEIGHTS } from '../../packages/firewall/src/scoring/fitted-weights.ts'
import { createScorer } from '../../packages/firewall/src/scoring/scorer.ts'
import { SURROUNDING_BITS, signsNamed } from '../../packages/firewall/src/scoring/signs.ts'
import { THRESHOLDS } from '../../packages/firewall/src/scoring/weights.ts'
import { type CollectedSample, collect } from './collect.ts'
import type { FittedSet } from './model.ts'
import { samples } from './samples.ts'

const TARGET = resolve(import.meta.dirname, '../../docs/firewall-rules.md')
/** Attacks as they stand; those that we put into documents ourselves would count twice. */
const ATTACKS = /^(?:advlearn (?:attack|mutated)|regression attack)$/
const scorer = createScorer(FITTED_WEIGHTS)

interface Worth {
  /** Attacks in whose hits it takes part. */
  attacks: number
  /** Those that are not found without it. */
  alone: number
  /** Alarms in whose hits it takes part. */
  alarms: number
  /** Those that are none without it. */
  alarmsAlone: number
}

const isHit = ({ class: className, rules, signs, surroundings }: FittedSet, without?: string): boolean => {
  const counted = without === undefined ? rules : rules.filter((rule) => rule !== without)
  const bits = signsNamed(signs) | SURROUNDING_BITS[surroundings]
  return scorer.score({ class: className, rules: counted, signs: bits }) >= THRESHOLDS.balanced
}

const { values } = parseArgs({ options: { recordings: { type: 'string' } } })
const rules = [...maintainedRules().rules, ...ownRules().rules].filter(({ tags }) => !isSignal(tags.type))
const worth = new Map(
  rules.map(({ id }): [string, Worth] => [id, { attacks: 0, alone: 0, alarms: 0, alarmsAlone: 0 }]),
)
const totals = { attacks: 0, found: 0, honest: 0, alarms: 0 }
for (const sample of await collect(samples(values.recordings))) weigh(sample)
writeFileSync(TARGET, page())

function weigh({ kind, isAttack, sets }: CollectedSample): void {
  if (isAttack ? !ATTACKS.test(kind) : kind === 'regression near miss') return
  totals[isAttack ? 'attacks' : 'honest']++
  const hits = sets.filter((set) => isHit(set))
  if (hits.length === 0) return
  totals[isAttack ? 'found' : 'alarms']++
  for (const rule of new Set(hits.flatMap((set) => set.rules))) {
    const of = worth.get(rule)
    if (!of) continue
    of[isAttack ? 'attacks' : 'alarms']++
    if (!hits.some((set) => isHit(set, rule))) of[isAttack ? 'alone' : 'alarmsAlone']++
  }
}

function page(): string {
  return `# The firewall's rules, one by one

Written by \`node bench/firewall-weights/rule-table.ts --recordings <folder>\`; not edited by hand. Weights ${FITTED_WEIGHTS.version}, at \`balanced\`.

Of ${counted(totals.attacks)} attacks of the public sets (ModSec-AdvLearn, the regression tests of the Core Rule Set) ${counted(totals.found)} are found. Of ${counted(totals.honest)} honest samples (recorded traffic,
documentation, code, made-up requests, the benign half of ModSec-AdvLearn) ${counted(totals.alarms)} raise an alarm. Of each rule: the attacks in whose hits it
takes part, those that are not found without it, its part in the alarms in percent, and the alarms that are none without it. Rules that match in the same attacks
find none alone, though without all of them the attack is missed; what the sets do not hold, such as a file of one product, no rule can find in them. A rule of ours that
finds none alone stays for attacks that these sets do not have, which its examples in the tests name.

## Our own rules

${table(rules.filter(({ id }) => id.startsWith('sp-')))}
## Maintained rules

${table(rules.filter(({ id }) => !id.startsWith('sp-')))}`
}

function table(some: readonly Rule[]): string {
  const lines = some
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ id, tags }) => {
      const { attacks, alone, alarms, alarmsAlone } = worth.get(id) ?? {
        attacks: 0,
        alone: 0,
        alarms: 0,
        alarmsAlone: 0,
      }
      const share = ((100 * alarms) / Math.max(1, totals.alarms)).toFixed(1)
      return `| \`${id}\` | ${[tags.type, attacks, alone, share, alarmsAlone].join(' | ')} |\n`
    })
  return `| rule | class | attacks | only it | share of alarms % | alarms by it alone |\n| --- | --- | --: | --: | --: | --: |\n${lines.join('')}`
}

function counted(number: number): string {
  return number.toLocaleString('en-US')
}
