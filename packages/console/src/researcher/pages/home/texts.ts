import type { ReactNode } from 'react'
import { wholeNumber } from '../../../language/number.ts'
import { phrase } from '../../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  yourSites: 'Your sites',
  untilItSaysOtherwise: 'until it says otherwise',
  until: (value: string) => `until ${value}`,
  letsYouTestThese: ({
    organization,
    researcher,
    value,
    contact,
  }: {
    readonly organization: string
    readonly researcher: string
    readonly value: string
    readonly contact: ReactNode
  }) => phrase`${organization} lets you test these sites as ${researcher}, ${value}. ${contact}`,
  loading: 'Loading…',
  noSiteYet: 'No site yet',
  hasNotPut: (organization: string) =>
    `${organization} has not put a site on your list. It shows here by itself as soon as it has.`,
  aSiteOpensWithout: (code: ReactNode) =>
    phrase`A site opens without another question in this browser, and stays open to it for a day, also after you sign out here. Tools need no browser: they send your key in the header ${code}.`,
  sites: 'Sites',
  findASite: 'Find a site',
  noSiteHas: 'No site has this in its name.',
  showMoreOf: (rows: number, found: number) => `Show ${rows} more of ${wholeNumber(found)}`,
  openGatedName: (gatedName: string) => `Open ${gatedName}`,
  open: 'Open',
}
