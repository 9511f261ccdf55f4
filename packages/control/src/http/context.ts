import type { ChangeContext, Database } from '../database/database.ts'
import { type IdempotentRequest, isDone } from '../database/idempotency.ts'
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

/**
 * Whether a request repeats one that is done, by its `Idempotency-Key`. It is given the first answer, so what a service asks before its
 * change is not asked again: it may have come to stand in the way since, as the time does and what was made of the thing.
 */
export const isRepetition = async (
  database: Pick<Database, 'read'>,
  { orgId, idempotency }: RequestContext,
): Promise<boolean> => idempotency !== null && database.read(orgId, (tx) => isDone(tx, orgId, idempotency))
