/** What a firewall exclusion would have done to recorded traffic: how many hits it removes, and which. */
import type { TrafficEvent } from '@sallyport/contract'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { eventOf, READ_COLUMNS, type RequestRow } from '../../../traffic-store/request-columns.ts'
import { Parameters, requestsOf, type Scope } from './predicate.ts'

/** What an exclusion covers. Each part that is present narrows it. */
export interface ExclusionPattern {
  readonly rule?: string | undefined
  /** Rules that it covers as it covers the one. */
  readonly furtherRules?: readonly string[] | undefined
  readonly pathPrefix?: string | undefined
  readonly part?: string | undefined
  readonly parameter?: string | undefined
}

export interface ExclusionTrial {
  /** Hits that count now, and how many of them would not count any more. */
  readonly hits: number
  readonly removed: number
  /** Requests with a hit now, and how many of them would have none left. */
  readonly requests: number
  readonly cleared: number
  readonly rules: { readonly value: string; readonly count: number }[]
  readonly samples: TrafficEvent[]
}

const SAMPLES_MAX = 50
const RULES_MAX = 100

export async function tryExclusion(
  store: TrafficStore,
  scope: Scope,
  pattern: ExclusionPattern,
): Promise<ExclusionTrial> {
  const [counts, rules, samples] = await Promise.all([
    readCounts(store, scope, pattern),
    readRules(store, scope, pattern),
    readSamples(store, scope, pattern),
  ])
  return { ...counts, rules, samples }
}

type Counts = Pick<ExclusionTrial, 'hits' | 'removed' | 'requests' | 'cleared'>

async function readCounts(store: TrafficStore, scope: Scope, pattern: ExclusionPattern): Promise<Counts> {
  const parameters = new Parameters()
  const covered = coveredHits(pattern, parameters)
  const rows = await store.query<Counts>(
    `SELECT sum(counting) AS hits, sum(covered) AS removed, countIf(counting > 0) AS requests,
       countIf(counting > 0 AND covered = counting) AS cleared
     FROM (SELECT countEqual(hit_excluded, false) AS counting, length(${covered}) AS covered
           FROM ${requestsOf(scope, parameters, ['notEmpty(hit_rules)'])})`,
    parameters.values,
  )
  return rows[0] ?? { hits: 0, removed: 0, requests: 0, cleared: 0 }
}

function readRules(
  store: TrafficStore,
  scope: Scope,
  pattern: ExclusionPattern,
): Promise<ExclusionTrial['rules']> {
  const parameters = new Parameters()
  const covered = coveredHits(pattern, parameters)
  return store.query(
    `SELECT rule_name AS value, count() AS count
     FROM (SELECT arrayJoin(${covered}) AS rule_name FROM ${requestsOf(scope, parameters, ['notEmpty(hit_rules)'])})
     GROUP BY rule_name ORDER BY count DESC, value LIMIT ${RULES_MAX}`,
    parameters.values,
  )
}

async function readSamples(
  store: TrafficStore,
  scope: Scope,
  pattern: ExclusionPattern,
): Promise<TrafficEvent[]> {
  const parameters = new Parameters()
  const covered = coveredHits(pattern, parameters)
  const from = requestsOf(scope, parameters, ['notEmpty(hit_rules)', `notEmpty(${covered})`])
  const rows = await store.query<RequestRow>(
    `SELECT ${READ_COLUMNS} FROM ${from} ORDER BY requests.time DESC, requests.id DESC LIMIT ${SAMPLES_MAX}`,
    parameters.values,
  )
  return rows.map(eventOf)
}

/** An expression: the rules of the hits of a request that count now and that the pattern covers. */
function coveredHits(pattern: ExclusionPattern, { bind }: Parameters): string {
  const { rule, furtherRules = [], pathPrefix, part, parameter } = pattern
  const tests = ['NOT e']
  if (rule !== undefined) tests.push(`r IN ${bind('Array(String)', [rule, ...furtherRules])}`)
  if (part !== undefined) tests.push(`p = ${bind('String', part)}`)
  if (parameter !== undefined) tests.push(`a = ${bind('String', parameter)}`)
  if (pathPrefix !== undefined) tests.push(underPrefix(pathPrefix, bind))
  return `arrayFilter((r, p, a, e) -> ${tests.join(' AND ')}, CAST(hit_rules, 'Array(String)'), hit_parts, hit_parameters, hit_excluded)`
}

/** Whole segments, in any case: `/search` covers `/search` and `/Search/x`, not `/searching`. */
function underPrefix(pathPrefix: string, bind: Parameters['bind']): string {
  const bare = pathPrefix.replace(/\/+$/, '').toLowerCase()
  if (bare === '') return '1'
  const path = 'lowerUTF8(path)'
  return `(${path} = ${bind('String', bare)} OR startsWith(${path}, ${bind('String', `${bare}/`)}))`
}
