import type { ChangeContext } from '../database/database.ts'
import type { IdempotentRequest } from '../database/idempotency.ts'
import { ProblemError } from '../errors.ts'
import type { Principal } from '../identity/principal.ts'

/** What a service knows of the request that it serves. */
export interface RequestContext extends ChangeContext {
  readonly principal: Principal
  /** Versions that `If-Match` allows; null where any is. */
  readonly ifMatch: readonly number[] | null
  readonly idempotency: IdempotentRequest | null
}

/** Refuses with 412 where the caller knew another version than the one that there is. */
export function requireVersion(context: RequestContext, version: number): void {
  if (context.ifMatch && !context.ifMatch.includes(version)) throw new ProblemError('precondition_failed')
}
