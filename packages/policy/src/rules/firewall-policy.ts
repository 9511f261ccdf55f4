/**
 * What a site's exclusions and overrides make of a firewall hit.
 *
 * A path that parsers may disagree about never benefits: an exclusion, or an override that lowers the mode, applies to
 * a path prefix only where the target is not ambiguous. Otherwise a target could be spelled so that the firewall
 * looks away while the origin reads another path. Nor does a value of which nothing says in which parameter it stands, as those that are
 * judged together or in the middle of a long body: an override that raises the mode of any parameter applies to it.
 */
import type { FirewallExclusion, FirewallMode, FirewallOverride, FirewallSettings } from '@sallyport/contract'
import type { RequestTargets } from '../paths/request-targets.ts'
import { prefixSegments } from '../paths/segments.ts'
import { expiryOf } from './expiry.ts'

/** What of a hit decides about it. */
export interface JudgedHit {
  readonly rule: string
  readonly part: string
  readonly parameter: string
}

export interface HitJudgement {
  /** The exclusion that covers the hit, if one does. */
  readonly exclusion: FirewallExclusion | undefined
  /** What is to be done about it if it is not excluded. */
  readonly mode: FirewallMode
}

interface Compiled<Item> {
  readonly item: Item
  readonly prefix: readonly string[] | undefined
  readonly expiresAt: number
}

const STRICTNESS: Readonly<Record<FirewallMode, number>> = { off: 0, observe: 1, enforce: 2 }

export class FirewallPolicy {
  readonly #mode: FirewallMode
  readonly #exclusions: readonly Compiled<FirewallExclusion>[]
  readonly #overrides: readonly Compiled<FirewallOverride>[]
  readonly #parameters: ReadonlySet<string | undefined>

  constructor(settings: FirewallSettings) {
    this.#mode = settings.mode
    this.#exclusions = settings.exclusions.map(compile)
    this.#overrides = settings.overrides.map(compile)
    this.#parameters = new Set([...settings.exclusions, ...settings.overrides].map((item) => item.parameter))
  }

  /** Whether hits in a parameter may be judged otherwise than those in others: where it is named, or has no name. */
  names(parameter: string): boolean {
    return parameter === '' || this.#parameters.has(parameter)
  }

  /** Judges one hit on a request for these targets, at an instant. */
  judge(hit: JudgedHit, targets: RequestTargets, now: number): HitJudgement {
    const exclusion = this.#exclusions.find(
      (candidate) => concerns(candidate, hit, now) && targets.areSurelyUnder(candidate.prefix),
    )
    const override = this.#overrides.find((candidate) =>
      STRICTNESS[candidate.item.mode] > STRICTNESS[this.#mode]
        ? concerns(candidate, hit, now, PARTS_OF_PARAMETERS.has(hit.part)) &&
          targets.mayBeUnder(candidate.prefix)
        : concerns(candidate, hit, now) && targets.areSurelyUnder(candidate.prefix),
    )
    return { exclusion: exclusion?.item, mode: override?.item.mode ?? this.#mode }
  }
}

/** In which a value without a name may be that of any parameter. */
const PARTS_OF_PARAMETERS: ReadonlySet<string> = new Set(['body', 'cookie', 'query'])

/** @param orNameless whether a hit without a parameter may be in the one that is meant */
function concerns(
  { item, expiresAt }: Compiled<FirewallExclusion | FirewallOverride>,
  hit: JudgedHit,
  now: number,
  orNameless = false,
): boolean {
  return (
    now < expiresAt &&
    (item.rule === undefined || item.rule === hit.rule) &&
    (item.part === undefined || item.part === hit.part) &&
    (item.parameter === undefined || item.parameter === hit.parameter || (orNameless && hit.parameter === ''))
  )
}

const compile = <Item extends FirewallExclusion | FirewallOverride>(item: Item): Compiled<Item> => ({
  item,
  prefix: item.pathPrefix === undefined ? undefined : prefixSegments(item.pathPrefix),
  expiresAt: expiryOf(item),
})
