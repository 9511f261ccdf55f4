/**
 * The connection pools of all origins, and the health of each origin. Sites of an organization with the same origin share its
 * connections; those of another have their own, so that what its researchers do to these is none of the others' concern. All
 * hosts of a wildcard are one pool, so that they are bounded together.
 */
import { createSecureContext, getCACertificates } from 'node:tls'
import type { OriginConfig, OriginHealth } from '@sallyport/contract'
import type { AddressPolicy } from '@sallyport/policy'
import type { HealthChange } from '../../record/delivery/batch-sender.ts'
import type { GatewayLimits } from '../../settings.ts'
import type { CompiledSite, Snapshot } from '../../snapshot/snapshot.ts'
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
  readonly #keys = new WeakMap<OriginPool, string>()
  /** By site, how its origin was found, and which origin that was. */
  readonly #health = new Map<string, { readonly found: OriginHealth; readonly key: string | undefined }>()
  #lookedAt: Snapshot | undefined
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
    const { origin: config, originProtocol = 'http1' } = (site.wildcard ?? site).config
    const known = this.#bySite.get(config)
    if (known && !known.closed) return known
    const key = keyOf(site)
    const connect = {
      names: this.#names,
      addresses: this.#addresses,
      secureContext: this.#secureContext,
    }
    const pool =
      this.#pools.get(key) ?? new OriginPool(config, this.#limits, connect, this.#scheduler, originProtocol)
    this.#pools.set(key, pool)
    this.#keys.set(pool, key)
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
    if (this.#health.get(siteId)?.found.state !== 'healthy') this.#noteHealth(siteId, pool, '')
  }

  /** A researcher's request failed at the origin of a site. */
  noteFailure(siteId: string, lane: LaneKey, pool: OriginPool, error: OriginError): void {
    pool.breakers.fail(lane, performance.now())
    this.#errors.set(error.reason, (this.#errors.get(error.reason) ?? 0) + 1)
    this.#noteHealth(siteId, pool, error.reason)
  }

  #noteHealth(siteId: string, pool: OriginPool, reason: string): void {
    const { state } = pool.breakers
    const before = this.#health.get(siteId)?.found
    if (before?.state === state && before.reason === reason) return
    const since = before?.state === state ? before.since : Date.now()
    this.#health.set(siteId, { found: { siteId, state, reason, since }, key: this.#keys.get(pool) })
    this.#changed.add(siteId)
  }

  /**
   * Health that changed since the last call (on the first one, all there is). Where the site has another origin in `snapshot` than the
   * one that was found so, it is unknown.
   */
  drainHealthChanges(snapshot: Snapshot): HealthChange[] {
    if (snapshot !== this.#lookedAt)
      for (const siteId of this.#health.keys()) this.#forgetLeft(siteId, snapshot)
    // A request to the origin before may have ended after that.
    else for (const siteId of this.#changed) this.#forgetLeft(siteId, snapshot)
    this.#lookedAt = snapshot
    const changed = this.#changed
    this.#changed = new Set()
    return [...changed].map((siteId) => this.#health.get(siteId)?.found ?? { siteId, state: 'unknown' })
  }

  #forgetLeft(siteId: string, snapshot: Snapshot): void {
    const known = this.#health.get(siteId)
    const site = snapshot.site(siteId)
    if (!known || (site && keyOf(site) === known.key)) return
    this.#health.delete(siteId)
    this.#changed.add(siteId)
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

/** Which sites share a pool: those of an organization whose origin is the same, asked in the same protocol. */
function keyOf(site: CompiledSite): string {
  const { origin, orgId, originProtocol = 'http1' } = (site.wildcard ?? site).config
  return `${orgId} ${originProtocol} ${origin.scheme}://${origin.host}:${origin.port}`
}
