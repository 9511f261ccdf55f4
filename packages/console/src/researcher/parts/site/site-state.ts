import type { GateSite } from '@sallyport/contract'
import { GATED_SIGN_IN_PATH } from '@sallyport/contract/words'
import { windowState } from '@sallyport/policy'
import { momentWords } from '../../design/moment.ts'
import { texts } from './texts.ts'

/**
 * The address that enters a site at a path, as the researcher who is signed in here. Every entry goes through it, because the
 * browser may have another researcher's session at the site, and then a question comes first.
 */
export const enterUrl = ({ url }: GateSite, path = '/'): string =>
  `${url}${GATED_SIGN_IN_PATH}?to=${encodeURIComponent(path)}`

/** Whether a site may be entered at `now`, in a word, and until when or why not, in a sentence. */
export function siteState(site: GateSite, now: number): { readonly word: string; readonly sentence: string } {
  switch (site.reason) {
    case '':
      return {
        word: texts.open,
        sentence: site.stopsAt === null ? texts.untilItIsClosed : texts.until(momentWords(site.stopsAt)),
      }
    case 'site_closed':
      return { word: texts.closed, sentence: whyClosed(site, now) }
    case 'researcher_paused':
      return { word: texts.paused, sentence: texts.theOrganizationHasPaused }
    case 'researcher_expired':
      return { word: texts.ended, sentence: texts.theTimeThatYou }
  }
}

function whyClosed(site: GateSite, now: number): string {
  const { startsAt, stopsAt } = site
  const state = windowState(site, now)
  if (state === 'over' && stopsAt !== null) return texts.closedSince(momentWords(stopsAt))
  if (state === 'before' && startsAt !== null) return texts.opens(momentWords(startsAt))
  return texts.closedByTheOrganization
}
