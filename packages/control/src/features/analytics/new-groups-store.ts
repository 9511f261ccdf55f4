/** What the traffic of an organization since an instant is made of, as far as it may be new: classes, networks, tools, limits. */
import { DEFINITION_CLASS } from '@sallyport/contract'
import type { TrafficStore } from '../../traffic-store/connection.ts'
import { Parameters, requestsOf, type Scope } from './store/predicate.ts'

export interface NewGroup {
  readonly kind: 'class' | 'address' | 'tool' | 'limit'
  readonly siteId: string
  readonly researcherId: string
  readonly value: string
  /** When its first and last request began, milliseconds since the epoch. */
  readonly first: number
  readonly last: number
}

/** Groups of one kind in an answer: a hostile researcher may come from any number of addresses. */
const GROUPS_MAX = 500
/** So that one of them hides nobody else's. */
const GROUPS_OF_ONE_MAX = 50
/** As `networkOf` has it: whoever has an address of IPv6 has all of its /64. */
const NETWORK =
  'if(isIPv6String(client_address), toString(IPv6CIDRToRange(toIPv6(client_address), 64).1), client_address)'

/** Requests of researchers, by what may be new of them. */
export function newGroups(store: TrafficStore, scope: Scope): Promise<NewGroup[]> {
  const parameters = new Parameters()
  const times = 'toUnixTimestamp64Milli(min(time)) AS first, toUnixTimestamp64Milli(max(time)) AS last'
  const select = (
    kind: NewGroup['kind'],
    columns: string,
    groupBy: string,
    conditions: readonly string[],
  ): string =>
    `SELECT * FROM (SELECT '${kind}' AS kind, ${columns}, ${times} FROM ${requestsOf(scope, parameters, ["researcher_id != ''", ...conditions])}
     GROUP BY ${groupBy} ORDER BY first LIMIT ${GROUPS_OF_ONE_MAX} BY researcherId LIMIT ${GROUPS_MAX})`
  const ofResearcher = (column: string): string =>
    `any(toString(site_id)) AS siteId, toString(researcher_id) AS researcherId, toString(${column}) AS value`
  return store.query<NewGroup>(
    [
      select(
        'class',
        `toString(site_id) AS siteId, any(toString(researcher_id)) AS researcherId,
         arrayJoin(arrayFilter((class, excluded) -> NOT excluded AND class != '${DEFINITION_CLASS}', hit_classes, hit_excluded)) AS value`,
        'site_id, value',
        ['notEmpty(hit_classes)'],
      ),
      select('address', ofResearcher(NETWORK), 'researcher_id, value', ["client_address != ''"]),
      select('tool', ofResearcher('tool'), 'researcher_id, tool', ["tool != ''"]),
      select(
        'limit',
        'toString(site_id) AS siteId, toString(researcher_id) AS researcherId, toString(rule) AS value',
        'site_id, researcher_id, rule',
        ["outcome = 'limit'"],
      ),
    ].join(' UNION ALL '),
    parameters.values,
  )
}
