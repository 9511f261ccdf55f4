/**
 * Who calls as a gateway: one with a credential of its own, which acts in its own name alone, or one that shows the token that
 * gateways share, which acts in any name that has no credential. What is revoked is refused everywhere within a second, and what it
 * follows is cut.
 */
import { type CredentialRefusal, GATEWAY_CREDENTIAL_PREFIX, isSecretKey } from '@sallyport/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../database/database.ts'
import type { Notifications } from '../database/notifications.ts'
import { authorizationOf } from '../http/request/authorization.ts'
import { bearsToken } from '../http/request/bearer-token.ts'
import { hashSecretKey } from '../identity/api-keys/secret-keys.ts'
import type { GatewayScope, ServedOrganizations } from './gateway-scope.ts'
import { openKnownCredentials } from './known-credentials.ts'
import { GATEWAY_ACCESS_CHANNEL } from './store.ts'

const LOOK_INTERVAL_MS = 1_000
const NOTHING: ServedOrganizations = new Set()

/** A gateway that is known by a credential of its own. */
export interface OwnCaller {
  readonly gatewayId: string
  readonly hash: string
  /** Whether it should renew its credential. */
  readonly isDue: boolean
  /** What it serves. */
  readonly organizations: ServedOrganizations
}

/** What is asked of gateways that call. */
export interface GatewayAccess {
  /** The `onRequest` hook of a route for gateways: 401 without a credential that holds, before anything of the body is read. */
  readonly require: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>
  /** Whether `require` let it in. */
  isAdmitted(request: FastifyRequest): boolean
  /** Who it is that `require` let in; null with the token that gateways share. */
  callerOf(request: FastifyRequest): OwnCaller | null
  /** Whether the caller may act in this name now; where not, the answer is 403. */
  mayActAs(request: FastifyRequest, gatewayId: string): boolean
  /** What the caller that `require` let in serves: everything with the token that gateways share. */
  servedBy(request: FastifyRequest): ServedOrganizations
  /** Calls `cut` once when the caller is let in no more; until the function that it returns is called. */
  whileAdmitted(request: FastifyRequest, cut: () => void): () => void
  /** How a gateway is known. */
  standingOf(gatewayId: string): 'own' | 'shared' | 'revoked'
  /** What a gateway serves, as far as is known here. */
  scopeOf(gatewayId: string): GatewayScope
  /** Reads again who is known, as each second. */
  refresh(): Promise<void>
}

export interface OpenGatewayAccess extends GatewayAccess {
  close(): Promise<void>
}

export interface GatewayAccessOptions {
  readonly database: Pick<Database, 'readInstallation' | 'writeInstallation'>
  readonly notifications: Pick<Notifications, 'listen'>
  /** What gateways share. */
  readonly gatewayToken: string
  readonly failed: (error: unknown) => void
}

/** Reads the credentials that there are, and follows their changes. */
export async function openGatewayAccess(options: GatewayAccessOptions): Promise<OpenGatewayAccess> {
  const { database, notifications, gatewayToken, failed } = options
  const known = await openKnownCredentials(database)
  const bearsShared = bearsToken(gatewayToken)
  const callers = new WeakMap<FastifyRequest, OwnCaller | null>()
  const followers = new Set<{ readonly hash: string; readonly cut: () => void }>()

  const refresh = async (): Promise<void> => {
    await known.refresh()
    for (const follower of followers) if (!known.holds(follower.hash)) follower.cut()
  }
  const looking = createLooks(refresh, failed)
  notifications.listen(GATEWAY_ACCESS_CHANNEL, looking.look)
  const timer = setInterval(looking.look, LOOK_INTERVAL_MS)

  return {
    async require(request, reply) {
      if (bearsShared(request)) {
        callers.set(request, null)
        return undefined
      }
      const authorization = authorizationOf(request) ?? ''
      const credential = authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : ''
      if (!isSecretKey(GATEWAY_CREDENTIAL_PREFIX, credential)) return refuse(reply, 'unknown')
      const hash = hashSecretKey(credential)
      const found = await known.find(hash)
      if ('refusal' in found) {
        const { refusal, gatewayId } = found
        // By name: the log says the same of one gateway once a minute.
        if (gatewayId !== null)
          request.log.warn(
            { gatewayId, refusal },
            `gateway ${gatewayId} showed a credential that does not hold any more`,
          )
        return refuse(reply, refusal)
      }
      const { gatewayId, isDue, organizations } = found
      callers.set(request, { gatewayId, hash, isDue, organizations })
      return undefined
    },
    isAdmitted: (request) => callers.has(request),
    callerOf: (request) => callers.get(request) ?? null,
    mayActAs(request, gatewayId) {
      const caller = callers.get(request)
      if (caller === undefined) return false
      if (caller === null) return known.standingOf(gatewayId) === 'shared'
      return caller.gatewayId === gatewayId && known.holds(caller.hash)
    },
    servedBy: (request) => {
      const caller = callers.get(request)
      return caller === undefined ? NOTHING : (caller?.organizations ?? null)
    },
    whileAdmitted(request, cut) {
      const caller = callers.get(request)
      if (!caller) return () => undefined
      const follower = { hash: caller.hash, cut }
      followers.add(follower)
      return () => followers.delete(follower)
    },
    standingOf: known.standingOf,
    scopeOf: known.scopeOf,
    refresh,
    async close() {
      clearInterval(timer)
      await looking.settled()
    },
  }
}

/** As RFC 6750 (section 3) says that a token does not do, with why. */
const refuse = (reply: FastifyReply, refusal: CredentialRefusal): FastifyReply =>
  reply
    .code(401)
    .header('www-authenticate', `Bearer error="invalid_token", error_description="${refusal}"`)
    .send()

/** Runs one look at a time, and one more where it was asked for meanwhile. */
function createLooks(refresh: () => Promise<void>, failed: (error: unknown) => void) {
  let running: Promise<void> | undefined
  let isAsked = false
  const run = async (): Promise<void> => {
    while (isAsked) {
      isAsked = false
      await refresh().catch(failed)
    }
    running = undefined
  }
  return {
    look: (): void => {
      isAsked = true
      running ??= run()
    },
    settled: async (): Promise<void> => running,
  }
}
