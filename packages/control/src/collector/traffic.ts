/** The root of the record of traffic: the store, the collector that fills it and the live tail beside it. */
import type { BatchHeader } from '@sallyport/contract'
import type { FastifyPluginAsync } from 'fastify'
import type { Notifications } from '../database/notifications.ts'
import type { GatewayAccess } from '../gateway-access/gateway-access.ts'
import { createLiveTail, type LiveTail } from '../live-tail/live-tail.ts'
import { openTailRelay, type TailRelay } from '../live-tail/tail-relay.ts'
import type { TrafficStore } from '../traffic-store/connection.ts'
import { measuredStore, type ObserveStore } from '../traffic-store/measured-store.ts'
import type { StoreNote } from '../traffic-store/migrated-store.ts'
import { createBatchParts } from './batch-parts.ts'
import type { BatchReader } from './batch-reader/batch-reader.ts'
import { collector } from './collector.ts'
import { createIngest, type IngestObserver } from './ingest.ts'
import { RETENTION_DAYS_DEFAULT } from './retention.ts'

export interface TrafficDependencies {
  /** Its tables are in place, or it is away. */
  readonly store: TrafficStore
  readonly access: Pick<GatewayAccess, 'require' | 'callerOf' | 'mayActAs' | 'servedBy'>
  /** Called with every batch header at once. */
  readonly reported: (header: BatchHeader) => void
  /** For how many days an organization keeps its record; asked for each event, so it must not wait. */
  readonly retentionDaysOf?: (orgId: string) => number
  /** By which the live tail reaches other control processes; absent where there are none, as beside an engine in this process. */
  readonly notifications?: Notifications
  /** Hears of live tails that did not reach the others. */
  readonly note?: StoreNote
  /** Reads batches; the collector's own unless given. */
  readonly reader?: BatchReader
  /** Hears which organizations have new events, and when the first of them began, milliseconds since the epoch. */
  readonly stored?: (orgIds: readonly string[], first: number) => void
  /** Hears of what becomes of batches, and of each use of the store. */
  readonly observe?: TrafficObserver
}

export interface TrafficObserver extends Omit<IngestObserver, 'batch'> {
  batch(result: 'stored' | 'duplicate' | 'quarantined' | 'later'): void
  readonly storeUsed: ObserveStore
}

export interface Traffic {
  readonly store: TrafficStore
  /** The collector's route, to be registered with the server. */
  readonly collector: FastifyPluginAsync
  readonly tail: LiveTail
  /** Closes the store, once the server has closed. */
  close(): Promise<void>
}

/** Puts the parts of the record together; closing it closes the store. */
export function openTraffic(dependencies: TrafficDependencies): Traffic {
  const { access, reported, observe, notifications } = dependencies
  const note = dependencies.note ?? (() => undefined)
  const store = observe ? measuredStore(dependencies.store, observe.storeUsed) : dependencies.store
  const tail: LiveTail = createLiveTail((orgId) => relay?.follows(orgId))
  const relay: TailRelay | undefined = notifications && relayTail(tail, notifications, note)
  const ingest = createIngest({
    store,
    retentionDaysOf: dependencies.retentionDaysOf ?? (() => RETENTION_DAYS_DEFAULT),
    tail: {
      isFollowed: (orgId) => tail.isFollowed(orgId) || (relay?.isFollowedElsewhere(orgId) ?? false),
      publish: (events) => {
        tail.publish(events)
        relay?.carry(events)
      },
    },
    ...(observe && { observe }),
    ...(dependencies.stored && { stored: dependencies.stored }),
  })
  return {
    store,
    collector: collector({
      ...{ ingest, parts: createBatchParts(store), access, reported },
      ...(observe && { notStored: observe.batch }),
      ...(dependencies.reader && { reader: dependencies.reader }),
    }),
    tail,
    close: async () => {
      relay?.close()
      await store.close()
    },
  }
}

const relayTail = (tail: LiveTail, notifications: Notifications, note: StoreNote): TailRelay =>
  openTailRelay({
    notifications,
    followed: tail.followed,
    heard: (events, missed) => {
      tail.publish(events)
      for (const [orgId, count] of missed) tail.publishMissed(orgId, count)
    },
    failed: (error) => note('the live tail did not reach the other control processes', error),
  })
