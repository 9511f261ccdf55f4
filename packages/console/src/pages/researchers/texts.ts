import type { ReactNode } from 'react'
import { isolated } from '../../design/isolated.ts'
import { wholeNumber } from '../../language/number.ts'
import { phrase } from '../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  notKnown: 'not known',
  of: (used: number, limit: number) => `${wholeNumber(used)} of ${wholeNumber(limit)}`,

  budget: 'Budget',
  budgetHint:
    'Rate limits of the sites that are open now. Usage is counted from the record, which is about two seconds behind the gate.',
  budgetBySite: 'Budget by site',
  noOpenSite: 'No open site has a rate limit',
  site: 'Site',
  perResearcher: 'Per researcher',
  used: 'Used',
  shareOfUsed: (site: string) => `Share of ${site} used`,
  wholeSite: 'Whole site',
  refusedLast24Hours: 'Refused, last 24 hours',
  noLimit: 'no limit',

  selectResearchersOrAct: 'Select researchers, or act on all:',
  pause: 'Pause',
  theyAreRefused: (previewOfChange: ReactNode) =>
    phrase`They are refused at the gate within a second, running requests included, and told that they are paused.${previewOfChange}`,
  resumeWho: (who: string) => `Resume ${who}`,
  remove: 'Remove',
  theirKeysSessions:
    'Their keys, sessions and places on lists end at once and cannot be brought back. Their recorded traffic stays.',
  selected: (ids: number) => `${ids} selected`,
  everyone: 'everyone',
  paused: (who: string) => `Paused: ${who}.`,
  resumedWho: (who: string) => `Resumed: ${who}.`,
  removed: (who: string) => `Removed: ${who}.`,

  invite: 'Invite',
  isInvitedSendThem: (email: string) =>
    `${email} is invited. Send them the link: it opens on the gate’s own host, signs one browser in, once, and shows them every site that they may test.`,
  accessUntil: 'Access until',
  accessUntilHint: (zone: string) => `Leave empty for no end. Time zone: ${zone}`,

  key: 'Key',
  made: 'Made',
  revoke: 'Revoke',
  revokeVisiblePart: (visiblePart: string) => `Revoke ${visiblePart}`,
  keysForTools: 'Keys for tools',
  addAKey: 'Add a key',
  replaceAll: 'Replace all',
  noValidKey: 'No valid key',
  keys: 'Keys',
  theKeyIsRevoked: 'The key is revoked; the gate refuses it within a second.',
  browserSessionsAndOpen: 'Browser sessions and open invitations are ended. Keys stay valid.',
  browserAccess: 'Browser access',
  aLinkSignsOne:
    'A link signs one browser in, once. It opens on the gate’s own host, where the researcher finds every site that they may test.',
  makeAnInvitationLink: 'Make an invitation link',
  endBrowserSessions: 'End browser sessions',

  researcher: 'Researcher',
  untilTime: (time: ReactNode) => phrase`until ${time}`,
  openEnded: 'open-ended',
  resumed: 'Resumed.',
  pausedRefusedAt: 'Paused; refused at the gate within a second.',
  pauseThisResearcher: 'Pause this researcher?',
  pauseResearcher: 'Pause researcher',
  isRefusedAt: (email: string) =>
    `${isolated(email)} is refused at the gate within a second, running requests included.`,
  isRemoved: (email: string) => `${email} is removed.`,
  resume: 'Resume',
  removeThisResearcher: 'Remove this researcher?',
  removeResearcher: 'Remove researcher',
  removeThisResearcherBody: (email: string) =>
    `Keys, sessions and places on lists of ${email} end at once and cannot be brought back. Recorded traffic stays.`,

  researchers: 'Researchers',
  researchersLead: 'Everyone who may test. Every request they send is recorded under their name.',
  inviteAResearcher: 'Invite a researcher',
  noResearchersMatch: 'No researchers match',
  noResearchersYet: 'No researchers yet',
  eachResearcherGets: 'Each researcher gets a personal link for the browser and a personal key for tools.',
  atMostCanBeCompared: (comparedHackersMax: number) => `At most ${comparedHackersMax} can be compared.`,
  compareSelected: (size: number) => `Compare ${size} selected`,
  choose: 'Choose',
  chooseEmail: (email: string) => `Choose ${email}`,
  state: 'State',
  until: 'Until',
  invited: 'Invited',
  lastSeen: 'Last seen',
  never: 'never',
  hits: 'Firewall hits',
  last24Hours: 'Requests, last 24 hours',
  notAvailableRightNow: 'Not available right now',
}
