import type { ReactNode } from 'react'
import { phrase } from '../../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  acceptThisInvitation: 'Accept this invitation in this browser?',
  itSignsThisBrowser:
    'It signs this browser in as the researcher whom it was sent to, and can be used once. What the browser then sends to the sites that it opens is recorded under that name.',
  theInvitationIs: (message: string) => `${message} The invitation is not lost: try again in a moment.`,
  tryAgain: 'Try again',
  accept: 'Accept',
  thisInvitationLink: 'This invitation link is not whole',
  openTheWholeLink: (code: ReactNode) =>
    phrase`Open the whole link that you were sent. The part after ${code} is taken out of the address as soon as this page opens, so a page that was loaded again has to be opened by the link again.`,
  goToYourSites: 'Go to your sites',
  thisInvitationIs: 'This invitation is no longer valid',
  itWasUsed:
    'It was used, has lapsed or was ended. Each can be used once, in one browser. Ask the organization that invited you for a new one.',
}
