/**
 * Traffic batches: `POST /gateway/batches`, gateway to control plane, newline-delimited JSON. The first line is a
 * `BatchHeader`, each further line a `TrafficEvent`.
 *
 * A batch is named by its gateway and id; a gateway repeats it until it is acknowledged with 204, and the
 * control plane stores it once however often it comes. Its events are the same bytes each time; what its header reports
 * (revision, health, journal) is of the moment of sending. 400 means that the batch can never be taken (the control plane
 * has set it aside with its reason and the gateway moves on); any other answer means "again later".
 */
import type { JSONWebKeySet } from './json-web-key.ts'

export const BATCHES_PATH = '/gateway/batches'
export const BATCH_EVENTS_MAX = 20_000
export const BATCH_BYTES_MAX = 32 * 1024 * 1024
/** A gateway that has not reported for this long is not live any more. It reports at least every second. */
export const GATEWAY_LIVE_MS = 5_000

/** How a gateway last found an origin. */
export interface OriginHealth {
  readonly siteId: string
  readonly state: 'healthy' | 'failing' | 'open'
  /** Machine-readable cause of the last failure, empty when there was none. */
  readonly reason: string
  /** When this state began, milliseconds since the epoch. */
  readonly since: number
}

/** First line of a batch. A header with no events after it is a report of being alive. */
export interface BatchHeader {
  readonly gatewayId: string
  /** Unique per gateway for batches with events; empty on a mere report. */
  readonly batchId: string
  /** The configuration revision that the gateway runs. */
  readonly revision: number
  readonly events: number
  /** Public keys by which this gateway's `Sallyport-Assertion` can be verified. */
  readonly assertionKeys: JSONWebKeySet
  /** Origins whose health changed since the last report, or all of them on the first one. */
  readonly health: readonly OriginHealth[]
  /** Records of the journal that wait to be sent, and their bytes. */
  readonly journal: { readonly pending: number; readonly pendingBytes: number; readonly damagedBytes: number }
}
