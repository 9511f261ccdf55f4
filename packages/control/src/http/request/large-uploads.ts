/**
 * How many bodies of more than the ordinary size come in at the same time: each is in memory until it was read. They are few for each
 * organization, so that none keeps others' away.
 */
import { BODY_BYTES_MAX } from '@sallyport/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ProblemError } from '../../errors.ts'

const PER_ORGANIZATION_MAX = 2
const ALTOGETHER_MAX = 12

/** Makes the function that is called for a request whose body may be large, before it is read. Throws a 503 where it has no place. */
export function createLargeUploads(): (orgId: string, request: FastifyRequest, reply: FastifyReply) => void {
  const places = new Map<string, number>()
  let taken = 0
  return (orgId, { headers }, reply) => {
    const length = headers['content-length']
    if (length !== undefined && Number(length) <= BODY_BYTES_MAX) return
    const own = places.get(orgId) ?? 0
    if (own >= PER_ORGANIZATION_MAX || taken >= ALTOGETHER_MAX)
      throw new ProblemError('unavailable', {
        detail: 'Too many large bodies come in at the same time; try again.',
        headers: { 'retry-after': '10' },
      })
    places.set(orgId, own + 1)
    taken += 1
    reply.raw.once('close', () => {
      const left = (places.get(orgId) ?? 1) - 1
      if (left > 0) places.set(orgId, left)
      else places.delete(orgId)
      taken -= 1
    })
  }
}
