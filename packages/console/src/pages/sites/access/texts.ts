import { isolated } from '../../../design/isolated.ts'

/** The words of this folder, in English. */
export const texts = {
  everyActiveResearcherMay: 'Every active researcher may enter this site.',
  theyAreOn: 'They are on the list of this site.',
  noResearcherHasThisAddress: 'No researcher has this address.',
  theyArePaused: 'They are paused.',
  theirAccessHasExpired: 'Their access has expired.',
  theyAreNot: 'They are not on the list of this site.',
  theSiteIsClosedNow: 'The site is closed now.',
  everythingIsStopped: 'Everything is stopped, or the organization is suspended.',
  checkAccess: 'Check access',
  checkAccessHint: 'Whether a researcher would get in right now, and why.',
  emailAddress: 'E-mail address',
  check: 'Check',
  admitted: 'Admitted',
  refused: 'Refused',

  allActiveResearchers: 'All active researchers',
  onlyThisList: 'Only this list',
  onlyTheListMayEnter: 'Only the list may enter.',
  everyActiveResearcherMayEnter: 'Every active researcher may enter.',
  onlyTheListMayEnterQuestion: 'Only the list may enter?',
  runningRequestsOfThose: 'Running requests of those who are not on it are cut within a second.',
  whoMayEnter: 'Who may enter',
  whoMayEnterHint: 'In force at the gate within a second; running requests of those who lose access are cut.',

  searchResearchers: 'Search researchers',
  onTheList: (ids: number, hasCustomList: boolean) =>
    `${ids} on the list${hasCustomList ? '' : ', not in force while all may enter'}`,
  noResearchersMatch: 'No researchers match.',
  theListIsChanged: 'The list is changed.',
  removeFromTheList: 'Remove from the list?',
  removeFromListQuestion: 'Remove from the list',
  mayNotEnterAnyMore: (email: string, gatedName: string) =>
    `${isolated(email)} may not enter ${gatedName} any more.`,
  noResearchersYet: 'No researchers yet',
  inviteAResearcher: 'Invite a researcher',
}
