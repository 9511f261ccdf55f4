/** The `Authorization` header of a request. */
import type { FastifyRequest } from 'fastify'

/**
 * Its value; nothing where there is none, or more than one. It is a single field (RFC 9110, sections 5.3 and 11.6.2): a proxy that
 * looks at another of two than we do would let somebody in as somebody else.
 */
export function authorizationOf({ raw }: FastifyRequest): string | undefined {
  const { authorization } = raw.headers
  if (authorization === undefined) return undefined
  return raw.headersDistinct.authorization?.length === 1 ? authorization : undefined
}
