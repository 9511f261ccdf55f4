/** The root of the record of traffic: the store, the collector that fills it and the live tail beside it. */
import type { BatchHeader } from '@sallyport/contract'
import type { FastifyPluginAsync } from 'fastify'
import type { Notifications } from '../database/notifications.ts'
import type { GatewayAccess } from '../gateway-access/gateway-access.ts'
import { createLiveTail, type LiveTail } from '../live-tail/live-tail.ts'
import { openTailRelay, type TailRelay } from '../live-tail/tail-relay.ts'
import type { TrafficStore, TrafficStoreLocation } from '../traffic-store/connection.ts'
import { measuredStore, type ObserveStore } from '../traffic-store/measured-store.ts'
import type { TrafficLedger } from '../traffic-store/migrate-under-lock.ts'
import { openMigratedStore, type StoreNote } from '../traffic-store/migrated-store.ts'
import { createBatchParts } from './batch-parts.ts'
import { collector } from './collector.ts'
import { createIngest, type IngestObserver } from './ingest.ts'
import { RETENTION_DAYS_DEFAULT } from './retention.ts'

export interface TrafficDependencies {
  readonly location: TrafficStoreLocation
  /** Under whose lock the store is migrated. */
  readonly ledger: TrafficLedger
  readonly access: Pick<GatewayAccess, 'require' | 'callerOf' | 'mayActAs'>
  /** Called with every batch header at once. */
  readonly reported: (header: BatchHeader) => void
  /** For how many days an organization keeps its record; asked for each event, so it must not wait. */
  readonly retentionDaysOf?: (orgId: string) => number
  /** By which the live tail reaches other control processes; there are none beside an engine in this process. */
  readonly notifications?: Notifications
  /** Called when a store that was away at the start is there. */
  readonly note?: StoreNote
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

/** Opens the store and migrates it, or goes on trying where its server is away. Throws with a sentence for the operator. */
export async function openTraffic(dependencies: TrafficDependencies): Promise<Traffic> {
  const { location, ledger, access, reported, observe } = dependencies
  const note = dependencies.note ?? (() => undefined)
  const migrated = await openMigratedStore(location, ledger, note)
  const store = observe ? measuredStore(migrated, observe.storeUsed) : migrated
  const tail: LiveTail = createLiveTail((orgId) => relay?.follows(orgId))
  const relay =
    dependencies.notifications && 'url' in location
      ? relayTail(tail, dependencies.notifications, note)
      : undefined
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
  })
  return {
    store,
    collector: collector({
      ...{ ingest, parts: createBatchParts(store), access, reported },
      ...(observe && { notStored: observe.batch }),
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
