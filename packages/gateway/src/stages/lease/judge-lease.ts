/** The lease stage: nothing is served of an organization whose lease has run out. */
import { refuse, type Stage } from '../../exchange/exchange.ts'
import { LEASE_RETRY_AFTER_S, type Lease } from '../../lease/lease.ts'

/** Makes the stage. */
export function createLeaseStage(lease: Lease): Stage {
  return ({ snapshot, event }) =>
    lease.isOver(snapshot, event.orgId)
      ? refuse(503, 'gate', 'lease_ended', { retryAfterS: LEASE_RETRY_AFTER_S })
      : null
}
