/**
 * Judges recordings by the firewall with its default rules, and by block rules that nothing honest falls under:
 *
 *     node bench/recordings/judge.ts <folder> [--excerpts 3] [--only fit|held-out] [application …]
 *
 * Each request is judged in the order in which it came, with time to spare. An alarm is a request with a hit. Prints alarms by
 * application and by rule, with excerpts; fails where block rules refuse a request.
 */
import { parseArgs } from 'node:util'
import type { BlockRule } from '@sallyport/contract'
import { createEngine, maintainedRules, ownRules } from '@sallyport/firewall'
import { BlockMatcher } from '@sallyport/policy'
import { inspect } from '../../packages/firewall/test/support/corpus.ts'
import { isHeldOut } from './applications.ts'
import { type RecordedRequest, readRecording, recordedApplications } from './recording.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { excerpts: { type: 'string', default: '3' }, only: { type: 'string' } },
})
const [folder, ...named] = positionals
if (folder === undefined) {
  console.error('judge.ts <folder> [application …]')
  process.exit(1)
}
const applications = recordedApplications(folder)
  .filter((name) => named.length === 0 || named.includes(name))
  .filter((name) => values.only === undefined || isHeldOut(name) === (values.only === 'held-out'))

interface Count {
  requests: number
  /** Requests with a query or a body. */
  withValues: number
  carryingCode: number
  alarms: number
  alarmsOnCode: number
  partial: number
  refused: number
}

interface RuleCount {
  readonly class: string
  readonly severity: string
  alarms: number
  /** Alarms that no other rule raises, too. */
  alone: number
  readonly applications: Map<string, number>
  readonly excerpts: string[]
}

const emptyCount = (): Count => ({
  requests: 0,
  withValues: 0,
  carryingCode: 0,
  alarms: 0,
  alarmsOnCode: 0,
  partial: 0,
  refused: 0,
})

const engine = createEngine([maintainedRules(), ownRules()])
const blockMatcher = new BlockMatcher(
  ['/administration', '/internal/metrics', '/.env', '/a/b/c/d'].map(
    (pathPrefix, index): BlockRule => ({
      id: String(index),
      pathPrefix,
      methods: [],
      status: 404,
      enabled: true,
      expires: 'never',
    }),
  ),
)
const counts = new Map<string, Count>()
const rules = new Map<string, RuleCount>()
for (const application of applications) {
  const count = emptyCount()
  counts.set(application, count)
  for await (const request of readRecording(folder, application)) await judge(request, count)
}
engine.dispose()
print()
if (sum([...counts.values()]).refused > 0) process.exitCode = 1

async function judge(request: RecordedRequest, count: Count): Promise<void> {
  const { application, carriesCode, method, target, rawHeaders, body } = request
  count.requests++
  if (target.includes('?') || body.length > 0) count.withValues++
  if (carriesCode) count.carryingCode++
  if (blockMatcher.match([method], target, Date.now())) count.refused++
  const { hits, inspection } = await inspect(engine, { head: { method, target, rawHeaders }, body })
  if (inspection === 'partial') count.partial++
  if (hits.length === 0) return
  count.alarms++
  if (carriesCode) count.alarmsOnCode++
  const hitRules = new Set(hits.map(({ rule }) => rule))
  for (const hit of hits) {
    const known = rules.get(hit.rule)
    const rule: RuleCount = known ?? {
      class: hit.class,
      severity: hit.severity,
      alarms: 0,
      alone: 0,
      applications: new Map(),
      excerpts: [],
    }
    rules.set(hit.rule, rule)
    if (rule.excerpts.length < 500)
      rule.excerpts.push(
        `${application}${carriesCode ? ' (code)' : ''} ${method} ${target.slice(0, 60)} ${hit.part} ${hit.parameter}: ${hit.excerpt}`,
      )
    if (!hitRules.delete(hit.rule)) continue
    rule.alarms++
    if (new Set(hits.map((each) => each.rule)).size === 1) rule.alone++
    rule.applications.set(application, (rule.applications.get(application) ?? 0) + 1)
  }
}

function sum(list: readonly Count[]): Count {
  const total = emptyCount()
  for (const each of list)
    for (const key of Object.keys(total)) {
      const name = key as keyof Count
      total[name] += each[name]
    }
  return total
}

function print(): void {
  console.log(
    '| application | split | requests | with values | with code | alarms | % | on code | partial | refused |',
  )
  console.log('| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |')
  const line = (name: string, split: string, count: Count): void => {
    const share = count.requests === 0 ? 0 : (100 * count.alarms) / count.requests
    const { requests, withValues, carryingCode, alarms, alarmsOnCode, partial, refused } = count
    console.log(
      `| ${[name, split, requests, withValues, carryingCode, alarms, share.toFixed(2), alarmsOnCode, partial, refused].join(' | ')} |`,
    )
  }
  for (const [name, count] of counts) line(name, isHeldOut(name) ? 'held out' : 'fit', count)
  for (const heldOut of [false, true]) {
    const split = [...counts].filter(([name]) => isHeldOut(name) === heldOut).map(([, count]) => count)
    line(`all of ${split.length}`, heldOut ? 'held out' : 'fit', sum(split))
  }
  printRules()
}

function printRules(): void {
  console.log('\n| rule | class | severity | alarms | alone | applications |')
  console.log('| --- | --- | --- | --: | --: | --- |')
  const sorted = [...rules].sort(([, one], [, other]) => other.alarms - one.alarms)
  for (const [id, rule] of sorted) {
    const where = [...rule.applications]
      .sort(([, one], [, other]) => other - one)
      .map(([name, count]) => `${name} ${count}`)
    console.log(
      `| ${[id, rule.class, rule.severity, rule.alarms, rule.alone, where.join(', ')].join(' | ')} |`,
    )
  }
  for (const [id, { excerpts }] of sorted) {
    console.log(`\n${id}`)
    const step = Math.max(1, Math.floor(excerpts.length / Number(values.excerpts)))
    for (const excerpt of excerpts.filter((_, index) => index % step === 0).slice(0, Number(values.excerpts)))
      console.log(`    ${excerpt.replace(/\s+/g, ' ').slice(0, 300)}`)
  }
}
