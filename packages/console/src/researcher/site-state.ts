import type { GATED_SIGN_IN_PATH, GateSite } from '@sallyport/contract'
import { windowState } from '@sallyport/policy'

/** Written out, because importing the contract's values would bundle its schemas. */
const SIGN_IN: typeof GATED_SIGN_IN_PATH = '/.sallyport/sign-in'

/**
 * The address that enters a site as whoever is signed in here, at a path of it. It is asked for anew each time, because the
 * browser may have another researcher's session there: the question that follows says so.
 */
export const enterUrl = ({ url }: GateSite, path = '/'): string =>
  `${url}${SIGN_IN}?to=${encodeURIComponent(path)}`

/** Whether a site may be entered at `now`, in a word, and until when or why not, in a sentence. */
export function siteState(site: GateSite, now: number): { readonly word: string; readonly sentence: string } {
  switch (site.reason) {
    case '':
      return {
        word: 'Open',
        sentence: site.stopsAt === null ? 'until it is closed' : `until ${timeOf(site.stopsAt)}`,
      }
    case 'site_closed':
      return { word: 'Closed', sentence: whyClosed(site, now) }
    case 'researcher_paused':
      return { word: 'Paused', sentence: 'The organization has paused your access.' }
    case 'researcher_expired':
      return { word: 'Ended', sentence: 'The time that you were invited for is over.' }
  }
}

function whyClosed(site: GateSite, now: number): string {
  const { startsAt, stopsAt } = site
  const state = windowState(site, now)
  if (state === 'over' && stopsAt !== null) return `Closed since ${timeOf(stopsAt)}.`
  if (state === 'before' && startsAt !== null) return `Opens ${timeOf(startsAt)}.`
  return 'Closed by the organization for now.'
}

const timeOf = (instant: number): string => new Date(instant).toLocaleString()
