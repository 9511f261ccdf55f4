/** The operations of a site as far as they are known: what is given, what was confirmed, and what was learned of its traffic. */
import type { Database } from '../../../database/database.ts'
import { readRow } from '../../../http/rows.ts'
import type { ApiLearner } from '../definition/api-learner.ts'
import { findSite } from '../store.ts'
import { type SiteOperation, siteOperations } from './site-api.ts'

/** An operation with all that a request may send to it. */
export interface OperationInForce {
  readonly method: string
  readonly template: string
  readonly source: 'given' | 'confirmed' | 'learned'
  readonly parameters: readonly {
    readonly place: SiteOperation['parameters'][number]['place'] | 'body'
    /** Of a body, a property at its top; empty for a body as a whole. */
    readonly name: string
  }[]
}

export interface KnownOperations {
  readonly siteId: string
  readonly originName: string
  readonly gatedName: string
  /** Without candidates. */
  readonly operations: readonly OperationInForce[]
}

/** Throws a 404 for a site that the organization does not have. */
export async function knownOperations(
  database: Database,
  apiLearner: Pick<ApiLearner, 'learn'>,
  orgId: string,
  id: string,
): Promise<KnownOperations> {
  const site = await readRow(database, orgId, id, findSite)
  const { known, seen } = await apiLearner.learn({ orgId, id: site.id })
  return {
    siteId: site.id,
    originName: site.origin_name,
    gatedName: site.gated_name,
    operations: siteOperations(known, seen).flatMap((operation) => {
      const { method, template, state: source, parameters, bodyNames } = operation
      if (source === 'candidate') return []
      const named = parameters.map(({ place, name }) => ({
        place,
        // Names of headers are recorded in lower case.
        name: place === 'header' ? name.toLowerCase() : name,
      }))
      const ofBody = bodyNames.map((name) => ({ place: 'body' as const, name }))
      return [{ method, template, source, parameters: [...named, ...ofBody] }]
    }),
  }
}
