/** What researchers did in all, for one page about one of them or several beside each other. */
import {
  type HackerProfile,
  type Outcome,
  onlyValue,
  SCANNER_PERCENT_MIN,
  VERDICT_WORDS,
} from '@sallyport/contract'
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import { noOutcomes } from '../../query/outcomes.ts'
import { HOUR_MS } from '../../query/time-segments.ts'
import { Parameters, requestsOf, type Scope, source } from '../predicate.ts'
import { VERDICT_SUMS, type VerdictRow, verdictsOf } from './class-counts.ts'
import { visitCounts } from './visits.ts'

const SEEN_MAX = 50
const ROWS_MAX = 20_000

type Store = Pick<TrafficStore, 'query'>

/** The profiles of these researchers in a window; of one who sent nothing all is zero. */
export async function profiles(
  store: Store,
  window: Omit<Scope, 'filter'>,
  hackers: readonly string[],
): Promise<HackerProfile[]> {
  const scope: Scope = { ...window, filter: { hacker: hackers.map(onlyValue) } }
  const [sums, covered, seen, visits, span] = await Promise.all([
    readSums(store, scope),
    readCovered(store, scope),
    readSeen(store, scope),
    visitCounts(store, scope),
    readSpan(store, scope),
  ])
  return hackers.map((hacker) => {
    const own = <Row extends { readonly hacker: string }>(rows: readonly Row[]) =>
      rows.filter((row) => row.hacker === hacker)
    const classes = own(covered).filter((row) => row.level === 'class')
    const all = own(covered).find((row) => row.level === 'request')
    const seenAs = (kind: SeenRow['kind']) => own(seen).filter((row) => row.kind === kind)
    return {
      hacker,
      firstSeen: instant(span.get(hacker)?.first_ms),
      lastSeen: instant(span.get(hacker)?.last_ms),
      ...sumOf(own(sums)),
      verdicts: all ? verdictsOf(all) : {},
      visits: visits.get(hacker) ?? 0,
      unnamedScanner: seenAs('scanner').map(seenOf)[0] ?? null,
      tools: seenAs('tool').map(({ value, ...row }) => ({ tool: value, ...seenOf(row) })),
      addresses: seenAs('address').map(({ value, ...row }) => ({ address: value, ...seenOf(row) })),
      attacks: classes.map((row) => ({
        class: row.class,
        attempts: row.attempts,
        verdicts: verdictsOf(row),
      })),
      routes: all?.places ?? 0,
      triedRoutes: classes.reduce((sum, row) => sum + row.places, 0),
    }
  })
}

interface SumRow {
  readonly hacker: string
  readonly site: string
  readonly outcome: Outcome
  readonly sent: number
}

function readSums(store: Store, scope: Scope): Promise<SumRow[]> {
  const parameters = new Parameters()
  const from = source(scope, 'activity', ['researcher_id', 'site_id', 'outcome', 'requests'], parameters)
  return store.query(
    `SELECT toString(researcher_id) AS hacker, toString(site_id) AS site, outcome, sum(requests) AS sent
     FROM ${from} GROUP BY hacker, site, outcome HAVING sent > 0 ORDER BY sent DESC, site LIMIT ${ROWS_MAX}`,
    parameters.values,
  )
}

function sumOf(rows: readonly SumRow[]): Pick<HackerProfile, 'requests' | 'outcomes' | 'sites'> {
  const outcomes = noOutcomes()
  const sites = new Map<string, number>()
  for (const { outcome, site, sent } of rows) {
    outcomes[outcome] += sent
    sites.set(site, (sites.get(site) ?? 0) + sent)
  }
  return {
    requests: rows.reduce((sum, { sent }) => sum + sent, 0),
    outcomes,
    sites: [...sites]
      .sort(([, left], [, right]) => right - left)
      .map(([site, requests]) => ({ site, requests })),
  }
}

interface CoveredRow extends VerdictRow {
  readonly hacker: string
  readonly level: 'request' | 'class'
  readonly class: string
  readonly places: number
  readonly attempts: number
}

/** By researcher and class of attack, the most frequent first; and all requests, whose class is empty. */
function readCovered(store: Store, scope: Scope): Promise<CoveredRow[]> {
  const parameters = new Parameters()
  const columns = ['researcher_id', 'site_id', 'level', 'route', 'method', 'class', ...VERDICT_WORDS]
  const from = source(scope, 'coverageOfResearchers', columns, parameters)
  return store.query(
    `SELECT hacker, level, class, uniqExact(site_id, method, route) AS places, ${VERDICT_SUMS}, ${VERDICT_WORDS.join(' + ')} AS attempts
     FROM (SELECT *, toString(researcher_id) AS hacker FROM ${from}) AS c GROUP BY hacker, level, class
     ORDER BY attempts DESC, class LIMIT ${ROWS_MAX}`,
    parameters.values,
  )
}

interface SeenRow {
  readonly hacker: string
  readonly kind: 'tool' | 'address' | 'scanner'
  readonly value: string
  readonly sent: number
  readonly first_ms: number
  readonly last_ms: number
}

/** With which tools and from which addresses, those with most requests first; and as scanners that name no tool. */
function readSeen(store: Store, scope: Scope): Promise<SeenRow[]> {
  const parameters = new Parameters()
  return store.query(
    `SELECT toString(researcher_id) AS hacker, seen.1 AS kind, seen.2 AS value, sum(request_count) AS sent,
       toUnixTimestamp64Milli(min(time)) AS first_ms, toUnixTimestamp64Milli(max(time)) AS last_ms
     FROM (SELECT researcher_id, request_count, time, arrayJoin(arrayConcat(
         [('tool', toString(tool)), ('address', toString(client_address))],
         if(tool = '' AND scanner_percent >= ${SCANNER_PERCENT_MIN}, [('scanner', '')], []))) AS seen
       FROM ${requestsOf(scope, parameters, ["kind != 'websocket_close'"])})
     GROUP BY hacker, seen ORDER BY sent DESC, value LIMIT ${SEEN_MAX} BY hacker, kind`,
    parameters.values,
  )
}

const seenOf = ({
  sent,
  first_ms: first,
  last_ms: last,
}: Pick<SeenRow, 'sent' | 'first_ms' | 'last_ms'>) => ({
  requests: sent,
  firstSeen: new Date(first).toISOString(),
  lastSeen: new Date(last).toISOString(),
})

interface Span {
  readonly first_ms: number
  readonly last_ms: number
}

/** When each was first and last seen in all that is recorded: the hour by the rollup, the moment by the requests of that hour. */
async function readSpan(store: Store, { orgId, filter }: Scope): Promise<ReadonlyMap<string, Span>> {
  const parameters = new Parameters()
  const scope = { orgId, from: 0, to: Number.POSITIVE_INFINITY, filter }
  const from = source(scope, 'activity', ['researcher_id', 'last_seen'], parameters)
  const rows = await store.query<Span & { readonly hacker: string }>(
    `SELECT toString(researcher_id) AS hacker, toInt64(min(at)) * 1000 AS first_ms, toUnixTimestamp64Milli(max(last_seen)) AS last_ms
     FROM ${from} GROUP BY hacker`,
    parameters.values,
  )
  const spans = rows.map(async ({ hacker, ...span }) => {
    const hour = { ...scope, from: span.first_ms, to: span.first_ms + HOUR_MS }
    const first = await firstIn(store, { ...hour, filter: { hacker: [onlyValue(hacker)] } })
    return [hacker, { ...span, first_ms: first ?? span.first_ms }] as const
  })
  return new Map(await Promise.all(spans))
}

async function firstIn(store: Store, scope: Scope): Promise<number | undefined> {
  const parameters = new Parameters()
  const [found] = await store.query<{ events: number; first_ms: number }>(
    `SELECT count() AS events, toUnixTimestamp64Milli(min(time)) AS first_ms FROM ${requestsOf(scope, parameters)}`,
    parameters.values,
  )
  return found && found.events > 0 ? found.first_ms : undefined
}

const instant = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString()
