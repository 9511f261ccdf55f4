/** What the main thread of a gateway and the threads that serve requests say to each other. */

import type { AddressInfo } from 'node:net'
import type { ClosureAct, LimiterSettings } from '@sallyport/contract'
import type { ResearcherPageRequest } from '@sallyport/contract/words'
import type { TrafficMeasures } from '../admin/traffic-measures.ts'
import type { ThrottledCall } from '../gate-host/call-throttle.ts'
import type { Moment } from '../lease/lease.ts'
import type { HealthChange } from '../record/delivery/batch-sender.ts'
import type { GatewaySettings } from '../settings.ts'
import type { SnapshotPart } from '../snapshot/copies/snapshot-copy.ts'
import type { AssertionKeyPair } from '../upstream/forward/assertion.ts'

/** What a thread is started with. */
export interface ThreadStart {
  readonly settings: GatewaySettings
  /** Its number, from 0, and of how many. */
  readonly thread: number
  readonly threads: number
  /** Memory of the `ThreadBoard`. */
  readonly board: SharedArrayBuffer
  readonly assertionKeys: AssertionKeyPair
  readonly ticketKeys: Uint8Array
}

export interface ServingAddresses {
  readonly http: AddressInfo
  readonly https: AddressInfo | null
  readonly proxy: AddressInfo | null
}

interface ResearcherOnSite {
  readonly researcherId: string
  readonly siteId: string
}

/** What the main thread asks one that serves. */
export type ThreadQuestions = {
  /** Answered when the part is in force; the last part of a snapshot brings it into force. */
  snapshotPart: { says: SnapshotPart; answer: undefined }
  /** Answered when it is closed in this thread. */
  closures: { says: readonly ClosureAct[]; answer: undefined }
  /** Where the control plane is asked from now on. */
  controlUrl: { says: string; answer: undefined }
  /** What is shown to the control plane from now on. */
  credential: { says: string; answer: undefined }
  /** What is served was in force at that moment. */
  vouched: { says: Moment; answer: undefined }
  /** Answered when the thread listens. */
  serve: { says: undefined; answer: ServingAddresses }
  measure: { says: undefined; answer: TrafficMeasures }
  recentRequests: { says: ResearcherOnSite; answer: ResearcherPageRequest[] }
  /** Answered when nothing runs any more and the record is handed over. */
  stop: { says: undefined; answer: undefined }
}

/** What a thread that serves asks the main thread. */
export type MainQuestions = {
  takeLimiter: {
    says: { readonly key: string; readonly settings: LimiterSettings }
    answer: SharedArrayBuffer
  }
  dropLimiter: { says: string; answer: undefined }
  redeem: { says: { readonly id: string; readonly issuedAt: number; readonly now: number }; answer: boolean }
  admitCall: {
    says: { readonly call: ThrottledCall; readonly caller: string; readonly now: number }
    answer: boolean
  }
  /** Of all threads, newest first. */
  recentRequests: { says: ResearcherOnSite; answer: ResearcherPageRequest[] }
  /** Answered when the thread may prepare tables of the firewall: one does at a time, so that the others find them. */
  tableTurn: { says: undefined; answer: undefined }
  tableTurnOver: { says: undefined; answer: undefined }
  originHealth: { says: readonly HealthChange[]; answer: undefined }
  /** Why it is not ready to serve; null where it is. */
  readiness: { says: string | null; answer: undefined }
}
