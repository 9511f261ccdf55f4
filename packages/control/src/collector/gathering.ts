/** The events of one batch on their way into the store: rows, so that a batch is kept as bytes and not as objects. */
import type { TrafficEvent, TrafficRequest, TrafficSender } from '@sallyport/contract'
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

  /** Adds a request. Its sender is the same object for all that name the same one. */
  add(sender: TrafficSender, request: TrafficRequest): void {
    const { retentionDaysOf, tail } = this.#dependencies
    this.rows.add(rowOf(sender, request, retentionDaysOf(sender.orgId)))
    if (tail.isFollowed(sender.orgId)) this.followed.push({ ...sender, ...request })
  }
}
