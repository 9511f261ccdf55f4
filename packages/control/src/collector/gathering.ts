/** The events of one batch on their way into the store: rows, so that a batch is kept as bytes and not as objects. */
import type { TrafficEvent } from '@sallyport/contract'
import type { LiveTail } from '../analytics/live-tail.ts'
import { rowOf } from '../analytics/request-columns.ts'
import { RowDraft } from './row-draft.ts'

export interface GatheringDependencies {
  /** For how many days an organization keeps its record. */
  readonly retentionDaysOf: (orgId: string) => number
  readonly tail: Pick<LiveTail, 'isFollowed'>
}

export class Gathering {
  readonly rows = new RowDraft()
  /** The events that the live tail wants. */
  readonly followed: TrafficEvent[] = []
  readonly #dependencies: GatheringDependencies

  constructor(dependencies: GatheringDependencies) {
    this.#dependencies = dependencies
  }

  add(event: TrafficEvent): void {
    const { retentionDaysOf, tail } = this.#dependencies
    this.rows.add(rowOf(event, retentionDaysOf(event.orgId)))
    if (tail.isFollowed(event.orgId)) this.followed.push(event)
  }
}
