/**
 * The config feed: `GET /gateway/feed`, one long-lived response of newline-delimited JSON, control plane to gateway.
 *
 * A transaction is `begin`, any number of `put` and `remove`, `commit`. The first transaction on a connection is
 * `full` and replaces everything the gateway had; later ones are `delta`. A gateway applies a transaction whole, at
 * its `commit`, or not at all, and passes over what it does not know of it: the control plane may be newer. `ping`
 * keeps the connection known to be alive; a gateway that hears nothing for `FEED_SILENCE_MAX_MS` reconnects.
 *
 * The gateway reports the revision it runs in the header of its next traffic batch (`BatchHeader.revision`), which it
 * sends at once after each commit, empty if there is nothing to report.
 */
import type { SnapshotItems, SnapshotKind } from './snapshot.ts'

export const FEED_PATH = '/gateway/feed'
export const FEED_PING_INTERVAL_MS = 1_000
export const FEED_SILENCE_MAX_MS = 5_000

/** A message of the feed; `revision` grows with every committed configuration change of the installation. */
export type FeedMessage =
  | { readonly type: 'begin'; readonly mode: 'full' | 'delta'; readonly revision: number }
  | FeedPut
  | { readonly type: 'remove'; readonly kind: SnapshotKind; readonly id: string }
  | { readonly type: 'commit'; readonly revision: number }
  | { readonly type: 'ping' }

/**
 * One thing of the snapshot, new or changed. The members are best written in this order, and `value` always in the same
 * words: then a gateway keeps its text, and need not read it again while it is unchanged.
 */
export type FeedPut = {
  [Kind in SnapshotKind]: {
    readonly type: 'put'
    readonly kind: Kind
    readonly id: string
    readonly value: SnapshotItems[Kind]
  }
}[SnapshotKind]
