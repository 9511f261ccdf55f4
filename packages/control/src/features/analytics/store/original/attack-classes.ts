/** Firewall hits by class of attack: in all, and by site over time. Hits that an exclusion let pass do not count. */
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import { countByBucket, Parameters, type Scope, source } from '../predicate.ts'

export interface ClassCount {
  readonly class: string
  readonly total: number
}

const COUNTING = "WHERE rule_kind = 'firewall' AND NOT excluded"

export function attackClasses(store: TrafficStore, scope: Scope): Promise<ClassCount[]> {
  const parameters = new Parameters()
  const from = source(scope, 'rules', ['rule_kind', 'class', 'excluded', 'hits'], parameters)
  return store.query<ClassCount>(
    `SELECT class, sum(hits) AS total FROM ${from} ${COUNTING} GROUP BY class HAVING total > 0 ORDER BY total DESC, class`,
    parameters.values,
  )
}

export interface SiteClassCount {
  readonly site_id: string
  readonly class: string
  readonly hits: number
  /** Index of the bucket that they fall into. */
  readonly bucket: number
}

/** For each bucket, those that are not zero. `startsMs` are the starts of the buckets, as `bucketStarts` makes them. */
export const attackClassesOverTime = (
  store: TrafficStore,
  scope: Scope,
  startsMs: readonly number[],
): Promise<SiteClassCount[]> =>
  countByBucket<Omit<SiteClassCount, 'bucket'>>(store, scope, startsMs, {
    family: 'rules',
    columns: ['rule_kind', 'site_id', 'class', 'excluded', 'hits'],
    select: 'site_id, class, sum(hits) AS hits',
    where: COUNTING,
    groupBy: 'site_id, class',
  })
