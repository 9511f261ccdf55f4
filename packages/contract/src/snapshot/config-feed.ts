/**
 * The config feed: `GET /gateway/feed`, one long-lived response of newline-delimited JSON, control plane to gateway.
 *
 * A transaction is `begin`, any number of `put` and `remove`, `commit`. The first transaction on a connection is
 * `full` and replaces everything the gateway had; later ones are `delta`. A gateway applies a transaction whole, at
 * its `commit`, or not at all, and passes over what it does not know of it: the control plane may be newer. `ping`
 * keeps the connection known to be alive; a gateway that hears nothing for `FEED_SILENCE_MAX_MS` reconnects.
 *
 * To a gateway that says `accept-encoding: gzip` it comes in members of gzip, each of which says in its extra field how long it is
 * (`gzip-members.ts` of the toolbox).
 *
 * The gateway reports the revision it runs in the header of its next traffic batch (`BatchHeader.revision`), which it
 * sends at once after each commit, empty if there is nothing to report.
 */
import type { ResearcherConfig, SiteConfig, SnapshotItems, SnapshotKind } from './snapshot.ts'

export const FEED_PATH = '/gateway/feed'
export const FEED_PING_INTERVAL_MS = 250
export const FEED_SILENCE_MAX_MS = 5_000

/** A message of the feed; `revision` grows with every committed configuration change of the installation. */
export type FeedMessage =
  | { readonly type: 'begin'; readonly mode: 'full' | 'delta'; readonly revision: number }
  | FeedPut
  | { readonly type: 'remove'; readonly kind: SnapshotKind; readonly id: string }
  | { readonly type: 'commit'; readonly revision: number }
  | { readonly type: 'ping' }

/**
 * One thing of the snapshot, new or changed; `feedPut` makes one. The members are best written in this order, and `value`
 * always in the same words: then a gateway keeps the value's text, finds it by what stands before it, and reads it when a
 * request first needs it. `value` is the last: whatever is added one day goes before it.
 */
export type FeedPut = {
  [Kind in SnapshotKind]: {
    readonly type: 'put'
    readonly kind: Kind
    readonly id: string
    /** What else it is looked for by, as `namesOf` says it. A gateway works them out where they are not said. */
    readonly names?: readonly string[]
    readonly value: SnapshotItems[Kind]
  }
}[SnapshotKind]

/** The message that puts a thing. */
export function feedPut<Kind extends SnapshotKind>(
  kind: Kind,
  id: string,
  value: SnapshotItems[Kind],
): FeedPut {
  // The union is over kinds: of one that is not known yet, the compiler cannot tell that its parts belong together.
  const put = { type: 'put', kind, id, value } as FeedPut
  return { type: 'put', kind, id, names: namesOf(put), value } as FeedPut
}

/** What a gateway looks for a thing by besides its id. */
export function namesOf(put: FeedPut): readonly string[] {
  if (put.kind === 'site') return namesOfSite(put.value)
  return put.kind === 'researcher' ? namesOfResearcher(put.value) : []
}

/** What a gateway looks for a site by besides its id: its gated name. */
export function namesOfSite({ gatedName }: SiteConfig): readonly string[] {
  return [gatedName]
}

/** What a gateway looks for a researcher by besides the id: the hashes of keys. */
export function namesOfResearcher({ keyHashes }: ResearcherConfig): readonly string[] {
  return keyHashes
}
