/**
 * All origins that the gateway talks to, and how they fare. Sites of an organization with the same origin share its
 * connections; those of another have their own, so that what its researchers do to these is none of the others' concern.
 */
import { createSecureContext, getCACertificates } from 'node:tls'
import type { OriginConfig, OriginHealth } from '@sallyport/contract'
import type { AddressPolicy } from '@sallyport/policy'
import type { CompiledSite } from '../../snapshot/snapshot.ts'
import { NameLookups } from './name-lookups.ts'
import { Origin, type OriginLimits } from './origin.ts'
import type { OriginError } from './origin-error.ts'
import { TurnBudget } from './turn-budget.ts'

export class Origins {
  readonly #limits: OriginLimits
  readonly #names = new NameLookups()
  readonly #turns = new TurnBudget()
  readonly #addresses: AddressPolicy
  readonly #secureContext
  readonly #origins = new Map<string, Origin>()
  readonly #bySite = new WeakMap<OriginConfig, Origin>()
  readonly #health = new Map<string, OriginHealth>()
  #changed = new Set<string>()

  /** `authorities` are PEM certificates trusted besides the system's. */
  constructor(limits: OriginLimits, addresses: AddressPolicy, authorities: readonly string[]) {
    this.#limits = limits
    this.#addresses = addresses
    this.#secureContext = createSecureContext({ ca: [...getCACertificates('default'), ...authorities] })
  }

  /** The origin of a site. */
  of(site: CompiledSite): Origin {
    const { origin: config, orgId } = site.config
    const known = this.#bySite.get(config)
    if (known && !known.closed) return known
    const key = `${orgId} ${config.scheme}://${config.host}:${config.port}`
    const connect = {
      names: this.#names,
      addresses: this.#addresses,
      secureContext: this.#secureContext,
    }
    const origin = this.#origins.get(key) ?? new Origin(config, this.#limits, connect, this.#turns)
    this.#origins.set(key, origin)
    this.#bySite.set(config, origin)
    return origin
  }

  /** The origin of a site answered a researcher. */
  noteSuccess(siteId: string, researcherId: string, origin: Origin): void {
    origin.circuits.succeed(researcherId)
    if (this.#health.get(siteId)?.state !== 'healthy') this.#noteHealth(siteId, origin, '')
  }

  /** A researcher's request failed at the origin of a site. */
  noteFailure(siteId: string, researcherId: string, origin: Origin, error: OriginError): void {
    origin.circuits.fail(researcherId, performance.now())
    this.#noteHealth(siteId, origin, error.reason)
  }

  #noteHealth(siteId: string, origin: Origin, reason: string): void {
    const { state } = origin.circuits
    const before = this.#health.get(siteId)
    if (before?.state === state && before.reason === reason) return
    const since = before?.state === state ? before.since : Date.now()
    this.#health.set(siteId, { siteId, state, reason, since })
    this.#changed.add(siteId)
  }

  /** Health that changed since the last call (on the first one, all there is). */
  takeHealthChanges(): OriginHealth[] {
    const changed = this.#changed
    this.#changed = new Set()
    return [...changed].flatMap((siteId) => this.#health.get(siteId) ?? [])
  }

  /** Called a few times a second. */
  sweep(now: number): void {
    for (const [key, origin] of this.#origins)
      if (!origin.sweep(now)) {
        origin.close()
        this.#origins.delete(key)
      }
  }

  close(): void {
    for (const origin of this.#origins.values()) origin.close()
    this.#origins.clear()
  }
}
