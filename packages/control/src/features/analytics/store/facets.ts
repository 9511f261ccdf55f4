/** The most frequent values of a field among the requests of a scope. */
import type { FilterName } from '@sallyport/contract'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { filteredColumn } from '../query/filter.ts'
import { type FamilyName, Parameters, requestsByDay, type Scope, source } from './predicate.ts'

export interface FacetValues<Field> {
  readonly field: Field
  readonly values: { readonly value: string; readonly count: number }[]
}

/** Fields that a rollup counts, and the rollup. */
const ROLLUPS: Partial<Record<FilterName, readonly [FamilyName, string]>> = {
  site: ['traffic', 'site_id'],
  outcome: ['traffic', 'outcome'],
  hacker: ['activity', 'researcher_id'],
  tool: ['activity', 'tool'],
  route: ['urls', 'route'],
}

export async function facet<Field extends FilterName>(
  store: TrafficStore,
  scope: Scope,
  field: Field,
  valuesMax: number,
): Promise<FacetValues<Field>> {
  const parameters = new Parameters()
  const rows = await store.query<{ value: string; count: number }>(
    `SELECT ${inner(scope, field, parameters)} GROUP BY facet HAVING count > 0
     ORDER BY count DESC, value LIMIT ${valuesMax}`,
    parameters.values,
  )
  return { field, values: rows.map(({ value, count }) => ({ value, count })) }
}

function inner(scope: Scope, field: FilterName, parameters: Parameters): string {
  const rollup = ROLLUPS[field]
  if (rollup) {
    const [family, column] = rollup
    const from = source(scope, family, [column, 'requests'], parameters)
    return `${column} AS facet, toString(facet) AS value, sum(requests) AS count FROM ${from}`
  }
  const notClosed = "kind != 'websocket_close'"
  const from = requestsByDay(scope, [`${filteredColumn(field)} AS facet`, 'request_count'], parameters, [
    notClosed,
    ...whereAny(field),
  ])
  return `facet, toString(facet) AS value, sum(request_count) AS count FROM ${from}`
}

/** Of what is mostly empty: so that nothing else is read of a request without one. */
function whereAny(field: FilterName): string[] {
  if (field.startsWith('firewall')) return ['notEmpty(hit_rules)']
  if (field === 'scannerReason') return ["scanner_reason != ''"]
  return field === 'leadsTo' ? ['notEmpty(leads_to)'] : []
}
