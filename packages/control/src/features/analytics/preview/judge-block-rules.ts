/** What block rules would refuse, judged as the gateway's block stage does. */
import { type BlockRule, type PathConvention, TARGET_CHARS_MAX } from '@sallyport/contract'
import { BlockMatcher, namedMethods } from '@sallyport/policy'
import type { TargetRow } from './preview-store.ts'
import type { PreviewTally } from './tally.ts'

/** Masked by the gateway where a site wants it: a value that may have named a method or a path. */
const MASKED = '=***'

/** A judge of recorded requests; it says what the record lacks by `gaps`. */
export function blockRulesJudge(
  rules: readonly Omit<BlockRule, 'id'>[],
  conventions: readonly PathConvention[],
  now: number,
  { gaps }: Pick<PreviewTally, 'gaps'>,
): (row: TargetRow) => boolean {
  // The ids say which rule refused, which is not asked here.
  const matcher = new BlockMatcher(
    rules.map((rule, index) => ({ ...rule, id: `${index}` })),
    conventions,
  )
  return ({ method, target }) => {
    // Any header may have named another path or method; headers are not recorded.
    gaps.add('headers')
    if (target.length >= TARGET_CHARS_MAX) {
      gaps.add('longTargets')
      return false
    }
    const isRefused = matcher.matchAny([method, ...namedMethods(target)], [target], now) !== undefined
    if (!isRefused && target.includes(MASKED)) gaps.add('queryValues')
    return isRefused
  }
}
