/** One secret that callers show as `Authorization: Bearer`. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { authorizationOf } from './authorization.ts'

/** Makes a test whether a request shows this token. */
export function bearsToken(token: string): (request: FastifyRequest) => boolean {
  const expected = digest(`Bearer ${token}`)
  return (request) => timingSafeEqual(digest(authorizationOf(request) ?? ''), expected)
}

/** Makes the `onRequest` hook of a route: 401 without the token, before anything of the body is read. */
export function requireToken(token: string) {
  const bears = bearsToken(token)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> =>
    bears(request) ? undefined : reply.code(401).header('www-authenticate', 'Bearer').send()
}

/** Digests have one length, so that they are compared in constant time. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
