/**
 * The connection pools of all origins, and the health of each origin. Sites of an organization with the same origin share its
 * connections; those of another have their own, so that what its researchers do to these is none of the others' concern. All
 * hosts of a wildcard are one pool, so that they are bounded together.
 */
import { createSecureContext, getCACertificates } from 'node:tls'
import type { OriginConfig, OriginHealth } from '@sallyport/contract'
import type { AddressPolicy } from '@sallyport/policy'
import type { GatewayLimits } from '../../settings.ts'
import type { CompiledSite } from '../../snapshot/snapshot.ts'
import { type LaneKey, laneKeyOf } from './connection-quotas.ts'
import { NameLookups } from './name-lookups.ts'
import type { OriginError } from './origin-error.ts'
import { OriginPool } from './origin-pool.ts'
import { ReadScheduler } from './read-scheduler.ts'

export class OriginPools {
  readonly #limits: GatewayLimits
  readonly #names: NameLookups
  readonly #scheduler = new ReadScheduler()
  readonly #addresses: AddressPolicy
  readonly #secureContext
  readonly #pools = new Map<string, OriginPool>()
  readonly #bySite = new WeakMap<OriginConfig, OriginPool>()
  readonly #health = new Map<string, OriginHealth>()
  #changed = new Set<string>()
  readonly #errors = new Map<string, number>()

  /** `authorities` are PEM certificates trusted besides the system's, and `names` finds the addresses of origins. */
  constructor(
    limits: GatewayLimits,
    addresses: AddressPolicy,
    authorities: readonly string[],
    names = new NameLookups(),
  ) {
    this.#limits = limits
    this.#names = names
    this.#addresses = addresses
    this.#secureContext = createSecureContext({ ca: [...getCACertificates('default'), ...authorities] })
  }

  /** What carries the requests of a researcher to a site. */
  laneOf({ config, wildcard }: CompiledSite, researcherId: string): LaneKey {
    return laneKeyOf(researcherId, wildcard ? config.origin.host : '')
  }

  /** The pool for the origin of a site. */
  of(site: CompiledSite): OriginPool {
    const { origin: config, orgId, originProtocol = 'http1' } = (site.wildcard ?? site).config
    const known = this.#bySite.get(config)
    if (known && !known.closed) return known
    const key = `${orgId} ${originProtocol} ${config.scheme}://${config.host}:${config.port}`
    const connect = {
      names: this.#names,
      addresses: this.#addresses,
      secureContext: this.#secureContext,
    }
    const pool =
      this.#pools.get(key) ?? new OriginPool(config, this.#limits, connect, this.#scheduler, originProtocol)
    this.#pools.set(key, pool)
    this.#bySite.set(config, pool)
    return pool
  }

  /** Failures of origins since the start, by reason. */
  get errors(): ReadonlyMap<string, number> {
    return this.#errors
  }

  /** The origin of a site answered a researcher. */
  noteSuccess(siteId: string, lane: LaneKey, pool: OriginPool): void {
    pool.breakers.succeed(lane)
    if (this.#health.get(siteId)?.state !== 'healthy') this.#noteHealth(siteId, pool, '')
  }

  /** A researcher's request failed at the origin of a site. */
  noteFailure(siteId: string, lane: LaneKey, pool: OriginPool, error: OriginError): void {
    pool.breakers.fail(lane, performance.now())
    this.#errors.set(error.reason, (this.#errors.get(error.reason) ?? 0) + 1)
    this.#noteHealth(siteId, pool, error.reason)
  }

  #noteHealth(siteId: string, pool: OriginPool, reason: string): void {
    const { state } = pool.breakers
    const before = this.#health.get(siteId)
    if (before?.state === state && before.reason === reason) return
    const since = before?.state === state ? before.since : Date.now()
    this.#health.set(siteId, { siteId, state, reason, since })
    this.#changed.add(siteId)
  }

  /** Health that changed since the last call (on the first one, all there is). */
  drainHealthChanges(): OriginHealth[] {
    const changed = this.#changed
    this.#changed = new Set()
    return [...changed].flatMap((siteId) => this.#health.get(siteId) ?? [])
  }

  /** Called a few times a second. */
  sweep(now: number): void {
    for (const [key, pool] of this.#pools)
      if (!pool.sweep(now)) {
        pool.close()
        this.#pools.delete(key)
      }
  }

  close(): void {
    for (const pool of this.#pools.values()) pool.close()
    this.#pools.clear()
  }
}
