import type { ReactNode } from 'react'
import { phrase } from '../../language/phrase.ts'
import { plural } from '../../language/plural.ts'

/** The words of this folder, in English. */
export const texts = {
  recentChanges: 'Recent changes',

  whatYouChanged: 'What you changed in the last 24 hours. Others see it in the audit log.',
  noChanges: 'No changes',
  you: (entry: string, words: ReactNode) => phrase`You ${entry}. ${words}`,
  thisCannotBeUndoneHere: 'This cannot be undone here.',
  undone: 'Undone.',
  undo: 'Undo',
  yourRoleDoes: 'Your role does not allow this.',

  everythingIsBeingStopped: 'Everything is being stopped.',
  stopEverything: 'Stop everything',
  stopEverythingQuestion: 'Stop everything?',
  stopEverythingBody: (openSites: ReactNode) =>
    phrase`Every site closes within a second (${openSites} open now), running requests and WebSockets are cut, and nobody gets in until you resume. The settings of the sites stay as they are. It is written to the audit log.`,
  itIsNotKnown: 'it is not known how many are',
  isBeingStopped: 'is being stopped',
  isStopped: 'is stopped',
  sitesAreOpenAgain: 'Sites are open again according to their own settings.',
  everythingBy: ({
    words,
    stoppedBy,
    time,
    admitted,
  }: {
    readonly words: string
    readonly stoppedBy: null | string
    readonly time: ReactNode
    readonly admitted: ReactNode
  }) => phrase`Everything ${words}${stoppedBy ? ` by ${stoppedBy}` : ''} ${time}: ${admitted}`,
  theOperatorHasSuspended: (admitted: ReactNode) =>
    phrase`The operator has suspended this organization: ${admitted}`,
  resume: 'Resume',
  noSiteAdmitsAnyone: 'no site admits anyone.',
  gateways: 'Gateways',
  aGatewayHas: (link: ReactNode) => phrase`a gateway has not confirmed it and may still serve. ${link}`,

  aSecretThat: (lost: number) =>
    plural(lost, {
      one: 'A secret that the server does not show again was left before you said that it is stored. This tab forgets it after a quarter of an hour.',
      other: `${lost} secrets that the server does not show again were left before you said that they are stored. This tab forgets them after a quarter of an hour.`,
    }),
  showAgain: 'Show again',
  stored: (lost: number) => plural(lost, { one: 'It is stored', other: 'They are stored' }),
  shownOnceAnd: 'Shown once, and not stored yet',
  iHaveStoredAll: 'I have stored all of it',

  overview: 'Overview',
  sites: 'Sites',
  traffic: 'Traffic',
  firewall: 'Firewall',
  researchers: 'Researchers',
  projects: 'Projects',
  organization: 'Organization',

  ago: (age: string) => ` · ${age} ago`,
  whenTheControlPlane: 'When the control plane last answered this page',
  min: (minutes: number) => `${minutes} min`,
  h: (minutes: number) => `${minutes} h`,
  theTrafficRecord: (title: string) => `The traffic record is not available. ${title}`,
  request: (requestId: string) => ` request ${requestId}`,
  tryAgain: 'Try again',
  whatYouSee: (toISOString: string) => `What you see is of ${toISOString}, and may be different now.`,

  skipToContent: 'Skip to content',
  menu: 'Menu',
  searchOrRunACommand: 'Search or run a command',
  closeMenu: 'Close menu',
  areas: 'Areas',
}
