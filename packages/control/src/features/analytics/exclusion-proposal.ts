/** The narrowest exclusion for a hit that is none: this rule, on this path, in this part and parameter, and no other. */
import type { FirewallExclusion, TrafficEvent } from '@sallyport/contract'
import { newId } from '../../database/database.ts'

/** Which hit of a request is meant; part and parameter where its rule matched in several places. */
export interface HitName {
  readonly rule: string
  readonly part?: string | undefined
  readonly parameter?: string | undefined
  /** Rules that matched in the same place, too. */
  readonly furtherRules?: readonly string[] | undefined
}

/** Undefined where no event has such a hit that counts, or one of the further rules has none in the same place. */
export function narrowestExclusion(
  events: readonly TrafficEvent[],
  { rule, part, parameter, furtherRules = [] }: HitName,
): { readonly siteId: string; readonly exclusion: FirewallExclusion } | undefined {
  for (const { siteId, path, hits } of events) {
    const hit = hits.find(
      (candidate) =>
        !candidate.excluded &&
        candidate.rule === rule &&
        (part === undefined || candidate.part === part) &&
        (parameter === undefined || candidate.parameter === parameter),
    )
    if (!hit || siteId === '') continue
    const isThere = (further: string) =>
      hits.some(
        (one) =>
          !one.excluded && one.rule === further && one.part === hit.part && one.parameter === hit.parameter,
      )
    if (!furtherRules.every(isThere)) continue
    const exclusion = {
      id: newId(),
      rule,
      pathPrefix: path,
      part: hit.part,
      ...(hit.parameter !== '' && { parameter: hit.parameter }),
      note: '',
    }
    return { siteId, exclusion }
  }
  return undefined
}
