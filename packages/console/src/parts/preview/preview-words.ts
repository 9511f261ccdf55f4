/** What a preview says, in the same words before each change. */
import type { ChangePreview, PreviewGap } from '@sallyport/contract'
import { isolated } from '../../design/isolated.ts'
import { wholeNumber } from '../../language/number.ts'
import { counted } from '../../language/plural.ts'

export interface PreviewTimes {
  /** An instant in words. */
  readonly full: (instant: string) => string
}

/** The sentence of a preview. */
export function previewSentence(preview: ChangePreview, time: PreviewTimes): string {
  const { refused, precision, requests, benign, researchers, judged, isWhole, takesEffect } = preview
  const span = isWhole
    ? 'The last 7 days'
    : `Since ${time.full(judged.gte)}, as far as could be judged in time`
  const from = takesEffect === null ? '' : `, from ${time.full(takesEffect)} on`
  if (requests === 0) return `${span}: no request was let through.`
  if (refused === 0)
    return precision === 'exact'
      ? `${span}: none of ${counted(requests, { one: 'request', other: 'requests' })} would be refused${from}.`
      : `${span}: of ${counted(requests, { one: 'request', other: 'requests' })} none is known that would be refused${from}.`
  const least = precision === 'atLeast' ? 'at least ' : ''
  const whose =
    researchers === 0 ? '' : ` of ${counted(researchers, { one: 'researcher', other: 'researchers' })}`
  const looks =
    benign === 0 ? 'none look benign' : counted(benign, { one: 'looks benign', other: 'look benign' })
  const which = precision === 'atLeast' && benign > 0 ? looks.replace(/^/, 'at least ') : looks
  return `${span}: ${least}${counted(refused, { one: 'request', other: 'requests' })}${whose} would be refused${from}, ${which}.`
}

/** Those with the most, by their addresses: `ada@example.com 12, bob@example.com 3`. */
export const researcherWords = ({ topResearchers, researchers }: ChangePreview): string => {
  const named = topResearchers.map(
    ({ id, email, refused }) => `${isolated(email ?? id)} ${wholeNumber(refused)}`,
  )
  const others = researchers - topResearchers.length
  return [...named, ...(others > 0 ? [`${wholeNumber(others)} more`] : [])].join(', ')
}

/** Why it may be more. */
export const GAP_WORDS: Readonly<Record<PreviewGap, string>> = {
  headers: 'headers that name another path or method are not recorded',
  queryValues: 'this site masks query values in its record',
  longTargets: 'of very long targets only the beginning is recorded',
  uninspected: 'the firewall did not look at some requests',
  partlyInspected: 'the firewall did not see all of some requests',
  hitsBelowLevel: 'hits below the present sensitivity are not recorded',
  hitsLeftOut: 'some requests had more hits than are kept',
  combinedRules: 'the weight of a rule without others that matched beside it is not recorded',
  scores: 'some hits were recorded without a score',
  otherSettings: 'the firewall had other settings for a part of the time',
  earlierRequests: 'earlier requests would have counted too',
  durations: 'how long requests ran is recorded to the millisecond',
  gateways: 'several gateways served the site',
}
