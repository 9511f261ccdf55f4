/** An OpenAPI document of a site made from its recorded traffic: the routes that the origin answered, as typed paths. */
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { DAY_MS } from '../query/time-segments.ts'
import { Parameters, requestsOf } from './predicate.ts'

export interface ObservedSite {
  readonly orgId: string
  readonly id: string
  readonly originName: string
}

interface RouteRow {
  readonly route: string
  readonly method: string
  readonly statuses: readonly number[]
  readonly names: readonly string[]
}

const DAYS = 7
const ROUTES_MAX = 1_000
const NAMES_MAX = 100
/** The methods that an OpenAPI path can hold. */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']

/** Reads the last seven days. A route that the origin only ever refused or did not know is left out. */
export async function learnDefinition(
  store: TrafficStore,
  site: ObservedSite,
  now = Date.now(),
): Promise<Record<string, unknown>> {
  const parameters = new Parameters()
  const scope = { orgId: site.orgId, from: now - DAYS * DAY_MS, to: now + 1, filter: { site: [site.id] } }
  const from = requestsOf(scope, parameters, ["outcome = 'origin'", "kind = 'request'", 'status > 0'])
  const rows = await store.query<RouteRow>(
    `SELECT route, method, arraySort(groupUniqArray(20)(status)) AS statuses,
       arraySort(groupUniqArrayArray(${NAMES_MAX})(query_names)) AS names
     FROM (SELECT route, method, status, query_names FROM ${from})
     WHERE method IN ${parameters.bind('Array(String)', METHODS)}
     GROUP BY route, method HAVING min(status) < 400 ORDER BY route, method LIMIT ${ROUTES_MAX}`,
    parameters.values,
  )
  return {
    openapi: '3.1.0',
    info: {
      title: site.originName,
      version: 'learned',
      description: `Made from the traffic of the last ${DAYS} days; it holds what was seen, not all that there is.`,
    },
    paths: pathsOf(rows),
  }
}

function pathsOf(rows: readonly RouteRow[]): Record<string, Record<string, unknown>> {
  const paths = new Map<string, Record<string, unknown>>()
  for (const { route, method, statuses, names } of rows) {
    const { path, parameters } = typedPath(route)
    const item = paths.get(path) ?? {}
    const query = names.map((name) => ({ name, in: 'query', schema: { type: 'string' } }))
    item[method.toLowerCase()] = {
      parameters: [...parameters, ...query],
      responses: Object.fromEntries(statuses.map((status) => [status, { description: 'Seen in traffic.' }])),
    }
    paths.set(path, item)
  }
  return Object.fromEntries(paths)
}

/** Parameters of a path must have names of their own: `/a/{id}/b/{id}` becomes `/a/{id}/b/{id2}`. */
function typedPath(route: string) {
  const seen = new Map<string, number>()
  const parameters: unknown[] = []
  const path = route.replaceAll(/\{([^{}/]+)\}/g, (_whole, given: string) => {
    const count = (seen.get(given) ?? 0) + 1
    seen.set(given, count)
    const name = count === 1 ? given : `${given}${count}`
    parameters.push({ name, in: 'path', required: true, schema: { type: 'string' } })
    return `{${name}}`
  })
  return { path, parameters }
}
