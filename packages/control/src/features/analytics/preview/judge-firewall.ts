/** What a firewall with other settings would refuse, by the hits that were recorded. */
import {
  DEFAULT_FIREWALL_LEVEL,
  DEFAULT_UNINSPECTED,
  FIREWALL_THRESHOLDS,
  type FirewallSettings,
  HITS_MAX,
  type PathConvention,
  TARGET_CHARS_MAX,
} from '@sallyport/contract'
import { FirewallPolicy, RequestTargets } from '@sallyport/policy'
import type { InspectedRow } from './preview-store.ts'
import type { PreviewTally } from './tally.ts'

/** What is known of one class of attack in one place of a request. */
interface Place {
  /** The highest recorded score of a hit that would refuse, in percent. */
  scorePercent: number
  /** A rule that added to the score would not refuse any more, so the score may be lower. */
  isLess: boolean
  /** The score was worked out with rules that do not refuse. */
  countsExcluded: boolean
  /** Something there would not refuse. */
  hasOthers: boolean
}

export interface FirewallTrial {
  readonly before: FirewallSettings
  readonly after: FirewallSettings
  readonly conventions: readonly PathConvention[]
  readonly now: number
}

/**
 * A judge of recorded requests. It counts only what is sure: evidence that rules are left out of weighs less, and how much less
 * the record does not say.
 */
export function firewallJudge(
  { before, after, conventions, now }: FirewallTrial,
  { gaps }: Pick<PreviewTally, 'gaps'>,
): (row: InspectedRow) => boolean {
  const modes = [after.mode, ...after.overrides.map(({ mode }) => mode)]
  if (!modes.includes('enforce')) return () => false
  const policy = new FirewallPolicy(after)
  const least = FIREWALL_THRESHOLDS[after.level ?? DEFAULT_FIREWALL_LEVEL]
  const namesPaths = [...after.exclusions, ...after.overrides].some((item) => item.pathPrefix !== undefined)
  const refusesUninspected =
    after.mode === 'enforce' && (after.uninspected ?? DEFAULT_UNINSPECTED) === 'refuse'
  if (least < FIREWALL_THRESHOLDS[before.level ?? DEFAULT_FIREWALL_LEVEL]) gaps.add('hitsBelowLevel')
  if (namesPaths) gaps.add('headers')

  return (row) => {
    if (namesPaths && row.target.length >= TARGET_CHARS_MAX) {
      gaps.add('longTargets')
      return false
    }
    const places = placesOf(row, policy, new RequestTargets([row.target], conventions), now)
    const candidates = [...places].filter(({ scorePercent }) => scorePercent / 100 >= least)
    if (candidates.some((place) => isSure(place))) return true
    if (candidates.length > 0) gaps.add('combinedRules')
    if (row.rules.length > 0 && row.scores.some((score) => score === 0)) gaps.add('scores')
    if (row.rules.length >= HITS_MAX) gaps.add('hitsLeftOut')
    if (row.inspection === 'off' || row.inspection === 'skipped') gaps.add('uninspected')
    if (row.inspection === 'partial') gaps.add(refusesUninspected ? 'uninspected' : 'partlyInspected')
    return false
  }
}

const isSure = ({ isLess, countsExcluded, hasOthers }: Place): boolean =>
  !isLess && !(countsExcluded && hasOthers)

function placesOf(
  row: InspectedRow,
  policy: FirewallPolicy,
  targets: RequestTargets,
  now: number,
): Iterable<Place> {
  const places = new Map<string, Place>()
  for (const [index, rule] of row.rules.entries()) {
    const part = row.parts[index] ?? ''
    const parameter = row.parameters[index] ?? ''
    const wasExcluded = row.excluded[index] ?? false
    const { exclusion, mode } = policy.judge({ rule, part, parameter }, targets, now)
    const refuses = exclusion === undefined && mode === 'enforce'
    const key = JSON.stringify([row.classes[index], part, parameter])
    const place = places.get(key) ?? {
      scorePercent: 0,
      isLess: false,
      countsExcluded: false,
      hasOthers: false,
    }
    places.set(key, place)
    if (!refuses) {
      place.hasOthers = true
      // What was excluded is in no score but its own.
      if (!wasExcluded) place.isLess = true
      continue
    }
    const scorePercent = row.scores[index] ?? 0
    if (wasExcluded) place.countsExcluded = true
    place.scorePercent = Math.max(place.scorePercent, scorePercent)
  }
  return places.values()
}
