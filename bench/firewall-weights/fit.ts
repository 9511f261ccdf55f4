/**
 * Fits the weights of the firewall's rules and signs, and says what they come to:
 *
 *     node bench/firewall-weights/fit.ts [--recordings <folder>] [--write] [--rotate]
 *
 * Fitted are the halves of the public corpora, of what is made up, and the recorded applications that are not kept out; everything is
 * measured. Near misses of the regression tests are measured only: most are attacks of another class. With `--write` the weights are
 * written to where the firewall reads them.
 */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { FIREWALL_LEVELS } from '@sallyport/contract/words'
import { maintainedRules, ownRules } from '@sallyport/firewall'
import { isSignal } from '../../packages/firewall/src/rules/rule-classes.ts'
import { createScorer, type Scorer } from '../../packages/firewall/src/scoring/scorer.ts'
import { SURROUNDING_BITS, signsNamed } from '../../packages/firewall/src/scoring/signs.ts'
import { DECIDES, THRESHOLDS, type Weights } from '../../packages/firewall/src/scoring/weights.ts'
import { type CollectedSample, collect } from './collect.ts'
import { type FittedModel, type FittedSample, fit, IN_CODE } from './model.ts'
import { samples } from './samples.ts'

const TARGET = resolve(import.meta.dirname, '../../packages/firewall/src/scoring/fitted-weights.ts')
const RULES = [...maintainedRules().rules, ...ownRules().rules]
  .filter(({ tags }) => !isSignal(tags.type))
  .map(({ id }) => id)
/** No program runs what a request brings, or imports in passing what it runs. */
const DECIDE_IN_CODE: ReadonlySet<string> = new Set(['sp-php-request-run', 'sp-python-inline-import'])
const OPTIONS = {
  honestCost: 1,
  ruleCost: 0.3,
  ruleSpread: 0.05,
  signCost: 0.03,
  steps: 1_500,
  decideInCode: DECIDE_IN_CODE,
}

/** How much samples count where not as one. */
function shareOf({ kind, sets }: CollectedSample): number {
  // Documentation, and code that is not known as that, show attacks' own material more often than anything that sites are sent.
  if (kind === 'documentation') return 0.05
  if (kind === 'code') return sets.every((set) => set.surroundings !== 'text') ? 3 : 0.1
  // Nobody sends it; it is there so that no rule is worth nothing in code without need.
  return kind === 'attack in code' ? 0.3 : 1
}

const { values } = parseArgs({
  options: {
    recordings: { type: 'string' },
    write: { type: 'boolean', default: false },
    rotate: { type: 'boolean', default: false },
  },
})
const collected = await collect(samples(values.recordings))
const weights = weightsOf(fit(fittedSamples(collected), OPTIONS))
printWeights(weights)
printMeasures(collected, weights)
if (values.rotate) printRotated(collected)
if (values.write) writeFileSync(TARGET, sourceOf(weights))

/** Requests of one kind that give the same evidence are one sample, which counts as their number does, dampened. */
function fittedSamples(all: readonly CollectedSample[]): FittedSample[] {
  const fitted = all.filter(
    ({ kind, isHeldOut, sets }) => !isHeldOut && sets.length > 0 && kind !== 'regression near miss',
  )
  const alike = Map.groupBy(fitted, ({ kind, sets }) => `${kind} ${JSON.stringify(sets)}`)
  return [...alike.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, weight: Math.log2(2 + others.length) * shareOf(first) }] : [],
  )
}

function weightsOf(model: FittedModel): Weights {
  const rules = Object.fromEntries([...model.rules].sort())
  const inCode = Object.fromEntries(
    RULES.map((rule): [string, number] => [
      rule,
      model.inCode.get(rule) ?? (DECIDE_IN_CODE.has(rule) ? DECIDES : IN_CODE),
    ])
      .filter(([, weight]) => weight < DECIDES)
      .sort(),
  )
  // A stray line is a text of its own: nothing weighs more there.
  const inStrayLines = Object.fromEntries(
    [...model.inStrayLines].filter(([rule, weight]) => weight < (model.rules.get(rule) ?? DECIDES)).sort(),
  )
  const signs: Record<string, Record<string, number>> = {}
  for (const [key, weight] of [...model.signs].sort()) {
    const [className = '', name = ''] = key.split('\n')
    signs[className] = { ...signs[className], [name]: weight }
  }
  const version = createHash('sha256')
    .update(JSON.stringify({ rules, inCode, inStrayLines, signs }))
    .digest('hex')
    .slice(0, 12)
  return { version, rules, inCode, inStrayLines, signs }
}

function sourceOf({ version, rules, inCode, inStrayLines, signs }: Weights): string {
  const quoted = (text: string): string => (/^[a-z_]+$/.test(text) ? text : `'${text}'`)
  const entries = (record: Readonly<Record<string, number>>, indent: string): string =>
    Object.entries(record)
      .map(([name, weight]) => `${indent}${quoted(name)}: ${weight},\n`)
      .join('')
  const classes = Object.entries(signs).map(
    ([name, of]) => `    ${name}: {\n${entries(of, '      ')}    },\n`,
  )
  return `/** Written by \`bench/firewall-weights/fit.ts\`; not edited by hand. Rules that are not named decide alone. */
import type { Weights } from './weights.ts'

export const FITTED_WEIGHTS: Weights = {
  version: '${version}',
  rules: {
${entries(rules, '    ')}  },
  inCode: {
${entries(inCode, '    ')}  },
  inStrayLines: {
${entries(inStrayLines, '    ')}  },
  signs: {
${classes.join('')}  },
}
`
}

function printWeights({ version, rules, inCode, inStrayLines, signs }: Weights): void {
  console.log(`weights ${version}: ${Object.keys(rules).length} rules do not decide alone\n`)
  for (const [rule, weight] of Object.entries(rules)) console.log(`    ${rule} ${weight}`)
  for (const [rule, weight] of Object.entries(inCode)) console.log(`    in code: ${rule} ${weight}`)
  for (const [rule, weight] of Object.entries(inStrayLines))
    console.log(`    in stray lines: ${rule} ${weight}`)
  for (const [className, of] of Object.entries(signs))
    for (const [sign, weight] of Object.entries(of)) console.log(`    ${className}: ${sign} ${weight}`)
}

interface Measure {
  samples: number
  readonly reached: number[]
  any: number
}

function printMeasures(all: readonly CollectedSample[], fitted: Weights): void {
  const scorer = createScorer(fitted)
  const measures = new Map<string, Measure>()
  const count = (name: string, scores: readonly number[]): void => {
    const measure = measures.get(name) ?? { samples: 0, any: 0, reached: FIREWALL_LEVELS.map(() => 0) }
    measures.set(name, measure)
    measure.samples++
    if (scores.length > 0) measure.any++
    for (const [index, level] of FIREWALL_LEVELS.entries())
      if (Math.max(0, ...scores) >= THRESHOLDS[level])
        measure.reached[index] = (measure.reached[index] ?? 0) + 1
  }
  for (const { kind, isHeldOut, sets } of all) {
    const scores = sets.map((set) => scoreOf(scorer, set))
    const split = isHeldOut ? 'kept out' : 'fitted'
    count(`${kind} | ${split}`, scores)
    if (kind.startsWith('recorded ')) count(`all recorded | ${split}`, scores)
  }
  console.log(
    `\n| samples | split | number | any rule % | ${FIREWALL_LEVELS.map((level) => `${level} %`).join(' | ')} |`,
  )
  console.log(`| --- | --- | --: | --: |${FIREWALL_LEVELS.map(() => ' --: |').join('')}`)
  const share = (part: number, whole: number): string => ((100 * part) / whole).toFixed(2)
  for (const [name, { samples: number, any, reached }] of [...measures].sort())
    console.log(
      `| ${name} | ${[number, share(any, number), ...reached.map((each) => share(each, number))].join(' | ')} |`,
    )
}

/** Alarms on each recorded application at `balanced` where it is the only one kept out, by which no choice of the kept-out half is favoured. */
function printRotated(all: readonly CollectedSample[]): void {
  const kinds = [...new Set(all.map(({ kind }) => kind))].filter((kind) => kind.startsWith('recorded '))
  const isOther = ({ kind, isHeldOut }: CollectedSample): boolean =>
    !kind.startsWith('recorded ') && isHeldOut
  const totals = { samples: 0, alarms: 0, shares: 0 }
  for (const kept of kinds) {
    const sides = all.map((sample) => ({ ...sample, isHeldOut: isOther(sample) || sample.kind === kept }))
    const scorer = createScorer(weightsOf(fit(fittedSamples(sides), OPTIONS)))
    const own = all.filter(({ kind }) => kind === kept)
    const alarms = own.filter(({ sets }) =>
      sets.some((set) => scoreOf(scorer, set) >= THRESHOLDS.balanced),
    ).length
    totals.samples += own.length
    totals.alarms += alarms
    totals.shares += alarms / own.length
    if (alarms > 0) console.log(`${kept}: ${alarms} of ${own.length}`)
  }
  const { samples: number, alarms, shares } = totals
  console.log(
    `each application kept out in turn: ${alarms} of ${number}, ${((100 * alarms) / number).toFixed(2)} %; mean of the applications ${((100 * shares) / kinds.length).toFixed(2)} %`,
  )
}

function scoreOf(scorer: Scorer, set: CollectedSample['sets'][number]): number {
  return scorer.score({ ...set, signs: signsNamed(set.signs) | SURROUNDING_BITS[set.surroundings] })
}
