/**
 * Traffic batches: `POST /gateway/batches`, gateway to control plane, newline-delimited JSON in UTF-8. The first line is
 * a `BatchHeader`. Each further line is one of two, told apart by its first character:
 *
 * - a sender, an object: `{"sender":17,"orgId":…}`, a number and every member of a `TrafficSender`. It stands before the
 *   first request that names it. Numbers mean nothing beyond their batch; where one comes again, the later line counts
 *   from there on.
 * - a request, an array: the number of its sender, then the fields of a `TrafficRequest` at the places that `fields.ts` gives
 *   them. `path` is null where it is the target up to its query, `route` is null where it is the path. What stands after
 *   `inspection` may be left out from some point on where all of it is empty or 0, `requestCount` where it is 1. Members after
 *   the last that is known here are ignored: so a control plane of before them takes the line too. So are members of a hit; those
 *   that a gateway of before them leaves out are as `LATER_HIT_FIELDS` says.
 *
 * A line that is neither, breaks a bound of its fields, is longer than `BATCH_LINE_CHARS_MAX` or names a sender that no
 * valid line before it declares is quarantined with its reason; the others are stored.
 *
 * A batch is named by its gateway and id; a gateway repeats it until it is acknowledged with 204, and the
 * control plane stores it once however often it comes. Each journal of a gateway sends one batch after the other. Its events are the same bytes each time; what its header reports
 * (revision, health, journal) is of the moment of sending. 400 with a `BatchRefusal` that names the batch means that it can
 * never be taken (the control plane has set it aside with its reason and the gateway moves on); any other answer, also a
 * 400 that something between the two gave, means "again later". So does the answer to a batch of another format: its
 * gateway keeps it until both sides are of one version again.
 *
 * In `COMPRESSED_BATCH_FORMAT` the header's line is followed by the other lines as one Zstandard frame (RFC 8878). A control plane
 * that takes it names it in `BATCH_FORMATS_HEADER` of its answers; an older one answers "again later", whatever follows the header.
 *
 * A batch that does not fit between the two goes in parts, each with the header of the whole batch, its id and its `part`, and each with
 * the senders that it names. They are posted in order, each until it is answered 204, and the batch is stored under its id when the last
 * of them has come: so a batch counts once, whether it came whole, in parts, or first one and then the other. Where parts before the
 * last one are missing, that is answered with `PARTS_MISSING_STATUS`, and the gateway begins with the first one again.
 */
import type { JSONWebKeySet } from '../gate/json-web-key.ts'

export const BATCHES_PATH = '/gateway/batches'
/** The form of the lines after the header. */
export const BATCH_FORMAT = 2
/** The same lines after the header, compressed; the only one of parts. */
export const COMPRESSED_BATCH_FORMAT = 3
/** Header of a control plane's answers: further formats of batches that it takes. */
export const BATCH_FORMATS_HEADER = 'sallyport-batch-formats'
/** What a gateway posts at once, with the header: as much as reverse proxies let through that nobody has told otherwise. */
export const BATCH_WIRE_BYTES_MAX = 1024 * 1024
/** Answer to the last part of a batch of which others are missing. */
export const PARTS_MISSING_STATUS = 409
/** Requests in a batch, and no more senders than that. */
export const BATCH_EVENTS_MAX = 20_000
/** Longest line after the header, far above what the bounds of its fields allow. */
export const BATCH_LINE_CHARS_MAX = 1024 * 1024
export const BATCH_BYTES_MAX = 32 * 1024 * 1024
/** Of a batch that came in parts, inflated: each part declares its senders, so their lines may be there several times. */
export const GATHERED_BATCH_BYTES_MAX = 2 * BATCH_BYTES_MAX
/** A gateway that has not reported for this long is not live any more. It reports at least every second. */
export const GATEWAY_LIVE_MS = 5_000

/** Threads of a gateway, and so its journals, at most. */
export const GATEWAY_THREADS_MAX = 64

/** How a gateway last found an origin. */
export interface OriginHealth {
  readonly siteId: string
  readonly state: 'healthy' | 'failing' | 'open'
  /** Machine-readable cause of the last failure, empty when there was none. */
  readonly reason: string
  /** When this state began, milliseconds since the epoch. */
  readonly since: number
}

/** Which requests of a batch these are, counted from 0: from `first` up to, but without, `end`, of so many. */
export interface BatchPart {
  readonly first: number
  readonly end: number
  readonly of: number
}

/** First line of a batch. A header with no events after it is a report of being alive. */
export interface BatchHeader {
  /** `BATCH_FORMAT` or `COMPRESSED_BATCH_FORMAT` of the gateway. */
  readonly format: number
  readonly gatewayId: string
  /** Unique per gateway for batches with events; empty on a mere report. */
  readonly batchId: string
  /** The configuration revision that the gateway runs, or ran last. */
  readonly revision: number
  /** The gateway does not run: its batches are delivered, and nothing else in the header is a report of it. */
  readonly isDrained?: boolean
  /** Which of its gateway's journals the batch is of: a gateway has one for each of its threads. Absent for the first. */
  readonly journalNumber?: number
  /** Lines with a request. Of a part they may be fewer than it stands for: one that the gateway cannot get through is left out. */
  readonly events: number
  /** Where this is only a part of the batch. */
  readonly part?: BatchPart
  /** Public keys by which this gateway's `Sallyport-Assertion` can be verified. They are new at each start, and so tell starts apart. */
  readonly assertionKeys: JSONWebKeySet
  /** Origins whose health changed since the last report, or all of them on the first one. */
  readonly health: readonly OriginHealth[]
  /**
   * Sites of which the gateway does not know any more how it finds their origin: they have another one, or a thread that knew has ended.
   * Absent for none, and of gateways of before it.
   */
  readonly healthUnknown?: readonly string[]
  /** Records of the journal that wait to be sent, and their bytes. */
  readonly journal: { readonly pending: number; readonly pendingBytes: number; readonly damagedBytes: number }
}

/** The body of a 400: why a batch can never be taken. */
export interface BatchRefusal {
  /** The id of the batch; empty where its header could not be read. */
  readonly batchId: string
  readonly reason: string
}
