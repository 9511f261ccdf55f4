/** The coverage of one site in one window. */
import {
  ATTACK_CLASS_NAMES,
  COVERAGE_BOUNDS,
  type CoverageAttempts,
  type CoverageCrossings,
  type CoverageMap,
  verdictOf,
} from '@sallyport/contract'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import type { QueryOf } from '../../http/handlers.ts'
import { describeWindow, readWindow, type WindowQuery } from '../../http/request/window.ts'
import type { CoverageRecord, RecordedAttempts } from '../../traffic-store/rows/recorded-coverage.ts'
import { type CoverageCounts, coverageMap } from './coverage-map.ts'
import { crossingsOf } from './crossings.ts'
import type { DefinedOperation } from './defined-operation.ts'
import { COUNTED_OPERATIONS_MAX } from './export/csv.ts'
import { type CoverageExport, exportCoverage } from './export/export-coverage.ts'
import { knownTemplates } from './known-templates.ts'
import { beginningsOf } from './template-beginnings.ts'

interface SiteWindow {
  readonly orgId: string
  readonly siteId: string
  readonly from: number
  readonly to: number
  readonly hacker?: readonly string[] | undefined
}

interface CoveredSite {
  readonly siteId: string
  readonly gatedName: string
  readonly operations: readonly DefinedOperation[]
}

export interface CoverageDeps {
  /** Throws a 404 for a site that the organization does not have. */
  readonly siteOf: (orgId: string, siteId: string) => Promise<CoveredSite>
  /** The id of the site with this gated name, or the label of one. Throws `BadParameter`. */
  readonly siteNamed: (orgId: string, name: string) => Promise<string>
  readonly trafficOf: (window: SiteWindow) => CoverageRecord
  readonly now?: () => number
}

const DAY_MS = 86_400_000
const WINDOW_MS = 30 * DAY_MS
const DEFAULT_GTE = 'now-30d'
/** At least a week back from now: such a window begins with a day, which sums of days answer. */
const WEEKS_BACK = /^now-(?:[7-9]|\d{2,3})d$/
const ATTEMPT_ROWS_MAX = 1_000
const ROUTES_MAX = 20

interface CoverageQuery extends WindowQuery {
  readonly hacker?: readonly string[] | undefined
}

/** The site, its record in the window of the query, and how an answer names the window. Throws `BadParameter`. */
async function open(deps: CoverageDeps, orgId: string, siteId: string, query: CoverageQuery) {
  const { trafficOf, siteOf, now = Date.now } = deps
  const { to, isOpen, ...asked } = readWindow(query, now(), WINDOW_MS)
  const from = WEEKS_BACK.test(query.gte || DEFAULT_GTE)
    ? Math.floor(asked.from / DAY_MS) * DAY_MS
    : asked.from
  const site = await siteOf(orgId, siteId)
  const window = { from, to: isOpen ? Number.POSITIVE_INFINITY : to }
  const traffic = trafficOf({ orgId, siteId: site.siteId, ...window, hacker: query.hacker })
  return { site, traffic, window: describeWindow({ from, to }) }
}

async function map(
  deps: CoverageDeps,
  orgId: string,
  siteId: string,
  query: QueryOf<'sitesGetCoverage'>,
  countResearchers = false,
): Promise<CoverageMap> {
  const { site, traffic, window } = await open(deps, orgId, siteId, query)
  const options = {
    known: beginningsOf(site.operations),
    withResearchers: query.hackers === 'true',
    researchersMax: namedOfCell(site.operations.length),
    countResearchers,
  }
  const isCounted = !countResearchers || site.operations.length <= COUNTED_OPERATIONS_MAX
  const ofParameters = options.withResearchers && isCounted
  const [recorded, byParameter] = await Promise.all([
    traffic.coverage(options),
    query.parameters === 'true' ? traffic.attempts({ ...options, withResearchers: ofParameters }) : undefined,
  ])
  const counts = coverageMap(site.operations, recorded, byParameter)
  return { ...window, ...counts, bounds: boundsOf(counts.summary, query) }
}

/** As it is asked for. */
const covered = (
  deps: CoverageDeps,
  orgId: string,
  siteId: string,
  query: QueryOf<'sitesGetCoverage'>,
): Promise<CoverageMap> => map(deps, orgId, siteId, query)

/** A map names so many researchers in all, about: of a thousand operations a hundred for each cell would be 80 MB. */
const NAMED_MAX = 100_000
const NAMED_OF_CELL_MAX = 100
const NAMED_OF_CELL_MIN = 5

export const namedOfCell = (operations: number): number =>
  Math.max(
    NAMED_OF_CELL_MIN,
    Math.min(
      NAMED_OF_CELL_MAX,
      Math.floor(NAMED_MAX / Math.max(1, operations * (ATTACK_CLASS_NAMES.length + 1))),
    ),
  )

type Bounds = { readonly [Bound in (typeof COVERAGE_BOUNDS)[number]]?: number | undefined }

const BOUNDED = {
  maxUntested: 'untested',
  maxRefusedByGate: 'refusedByGate',
  maxServerErrors: 'serverErrors',
} as const

/** Which of the bounds that were asked for are exceeded. */
export function boundsOf(summary: CoverageCounts['summary'], bounds: Bounds): CoverageMap['bounds'] {
  const exceeded = COVERAGE_BOUNDS.flatMap((bound) => {
    const limit = bounds[bound]
    const count = summary[BOUNDED[bound]]
    return limit !== undefined && count > limit ? [{ bound, limit, count }] : []
  })
  return { passed: exceeded.length === 0, exceeded }
}

async function attempts(
  deps: CoverageDeps,
  orgId: string,
  siteId: string,
  query: QueryOf<'sitesGetCoverageAttempts'>,
): Promise<CoverageAttempts> {
  const { site, traffic, window } = await open(deps, orgId, siteId, query)
  const { method, template, class: attackClass } = query
  const recorded = await traffic.attemptsOf(method, attackClass)
  const { templateOf } = knownTemplates(site.operations)
  const rows = recorded.rows.filter(({ route }) => templateOf(route) === template)
  const merged = mergeAttempts(rows)
  return {
    ...window,
    method,
    template,
    class: attackClass,
    rows: merged.slice(0, ATTEMPT_ROWS_MAX),
    routes: [...new Set(rows.map(({ route }) => route))].slice(0, ROUTES_MAX),
    isPartial: recorded.isPartial || merged.length > ATTEMPT_ROWS_MAX,
  }
}

/** The same attempts of all routes of a template, the most frequent first. */
function mergeAttempts(rows: readonly RecordedAttempts[]): CoverageAttempts['rows'] {
  const merged = [
    ...Map.groupBy(rows, ({ researchers, part, parameter, outcome, status, reason, rule }) =>
      JSON.stringify([researchers, part, parameter, outcome, status, reason, rule]),
    ).values(),
  ].flatMap((alike) => {
    const [first] = alike
    if (first === undefined) return []
    return {
      hacker: first.researchers[0] ?? '',
      part: first.part,
      parameter: first.parameter,
      verdict: verdictOf(first),
      status: first.status,
      by: first.rule || first.reason,
      attempts: alike.reduce((sum, row) => sum + row.attempts, 0),
      firstSeen: new Date(Math.min(...alike.map((row) => row.first_ms))).toISOString(),
      lastSeen: new Date(Math.max(...alike.map((row) => row.last_ms))).toISOString(),
    }
  })
  return merged.sort((left, right) => right.attempts - left.attempts)
}

async function crossings(
  deps: CoverageDeps,
  orgId: string,
  siteId: string,
  query: CoverageQuery,
): Promise<CoverageCrossings> {
  const { site, traffic, window } = await open(deps, orgId, siteId, query)
  return { ...window, ...crossingsOf(site.operations, await traffic.crossings()) }
}

/** The map with parameters, written for a spreadsheet or a pipeline. */
async function exported(
  deps: CoverageDeps,
  orgId: string,
  siteId: string,
  query: QueryOf<'sitesExportCoverage'>,
): Promise<CoverageExport> {
  const { format, ...asked } = query
  const parameters = format === 'csv' ? 'true' : 'false'
  // Tables count who tried, and the names of all of a cell would be too many.
  const covered = await map(deps, orgId, siteId, { ...asked, parameters, hackers: 'true' }, format === 'csv')
  return exportCoverage(covered, format)
}

/** Requests by operation, of the site with this gated name or label: the original interface's question. */
async function requests(
  deps: CoverageDeps,
  orgId: string,
  { url, ...window }: QueryOf<'analyticsGetApiCoverage'>,
) {
  const { operations } = await map(deps, orgId, await deps.siteNamed(orgId, url), {
    ...window,
    parameters: 'false',
    hackers: 'false',
  })
  return operations.map((one) => ({ path: one.template, method: one.method, count: one.requests }))
}

/** The operations on the coverage of sites. */
export const createCoverageService = (deps: CoverageDeps) =>
  bindDependencies(deps, { map: covered, attempts, crossings, exported, requests })

export type CoverageService = ReturnType<typeof createCoverageService>
