/** Authentication of gateways, by the token that all gateways of the installation share. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { authorizationOf } from './request/authorization.ts'

/** Makes the `onRequest` hook of a route for gateways: 401 without the token, before anything of the body is read. */
export function requireGateway(token: string) {
  const expected = digest(`Bearer ${token}`)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> =>
    timingSafeEqual(digest(authorizationOf(request) ?? ''), expected)
      ? undefined
      : reply.code(401).header('www-authenticate', 'Bearer').send()
}

/** Digests have one length, so that they are compared in constant time. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
