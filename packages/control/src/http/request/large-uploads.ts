/**
 * How many bodies of more than the ordinary size come in at the same time: each is in memory until it was read. They are few for each
 * organization, so that none keeps others' away.
 */
import { BODY_BYTES_MAX } from '@sallyport/contract'
import { ConcurrencyLimiter } from '@sallyport/toolbox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { unavailable } from '../../errors.ts'

const LIMITS = { ofOwner: 2, ofAll: 12 }

/** Makes the function that is called for a request whose body may be large, before it is read. Throws a 503 where it has no place. */
export function createLargeUploads(): (orgId: string, request: FastifyRequest, reply: FastifyReply) => void {
  const limiter = new ConcurrencyLimiter(LIMITS)
  return (orgId, { headers }, reply) => {
    const length = headers['content-length']
    if (length !== undefined && Number(length) <= BODY_BYTES_MAX) return
    const release = limiter.acquire(orgId)
    if (!release) throw unavailable('Too many large bodies come in at the same time; try again.', 10)
    reply.raw.once('close', release)
  }
}
