/** What can go wrong with an origin, in the words of the record. */
import type { OriginReason } from '@sallyport/contract'

export class OriginError extends Error {
  readonly reason: OriginReason
  /** True where the origin has said that it did nothing of the request, so that it may be sent again. */
  readonly isUnprocessed: boolean

  constructor(reason: OriginReason, detail: string, isUnprocessed = false) {
    super(detail)
    this.name = 'OriginError'
    this.reason = reason
    this.isUnprocessed = isUnprocessed
  }
}

/** None of the gate's own connections to an origin came free in time. It says nothing about the origin. */
export class NoFreeConnection extends Error {
  /** Whose connections are all in use: those that one researcher may hold, or all that the origin may have. */
  readonly whose: 'researcher' | 'origin'

  constructor(whose: 'researcher' | 'origin') {
    super(`all connections of the ${whose} are in use`)
    this.name = 'NoFreeConnection'
    this.whose = whose
  }
}

/** Status that a researcher is answered when an origin fails. */
export const STATUS_OF_ORIGIN_REASON: Readonly<Record<OriginReason, 502 | 503 | 504>> = {
  origin_unreachable: 502,
  origin_forbidden_address: 502,
  origin_certificate: 502,
  origin_malformed: 502,
  origin_aborted: 502,
  origin_timeout: 504,
  origin_circuit_open: 503,
}
