import { wholeNumber } from '../../language/number.ts'

/** The words of this folder, in English. */
export const texts = {
  putASiteBehind: 'put a site behind the gate',
  changedTheSite: 'changed the site',
  openedTheSite: 'opened the site',
  closedTheSite: 'closed the site',
  removedASite: 'removed a site',
  changedTheBlockRules: 'changed the block rules',
  changedTheFirewall: 'changed the firewall',
  changedTheRateLimit: 'changed the rate limit',
  changedWhatIsForwarded: 'changed what is forwarded',
  changedWhatIsRecorded: 'changed what is recorded',
  uploadedAnApiDefinition: 'uploaded an API definition',
  removedTheApiDefinition: 'removed the API definition',
  removedAnApiDefinition: 'removed an API definition',
  broughtBackAnApiDefinition: 'brought back an API definition',
  changedWhoMayEnter: 'changed who may enter',
  letAResearcher: 'let a researcher in',
  tookAResearcherOff: 'took a researcher off the list',
  stoppedEverything: 'stopped everything',
  resumedEverything: 'resumed everything',
  pausedResearchers: 'paused researchers',
  resumedResearchers: 'resumed researchers',
  endedTheAccessOfResearchers: 'ended the access of researchers',
  removedAResearcher: 'removed a researcher',

  viewAll: 'View all',

  passed: 'Passed',
  blockRule: 'Block rule',
  rateLimit: 'Rate limit',
  firewall: 'Firewall',
  gate: 'Gate',
  interrupted: 'Interrupted',
  showOnly: (outcomeWords: string) => `Show only ${outcomeWords}`,

  inAll: (label: string, total: number) => `${label}: ${wholeNumber(total)} in all.`,
  compareWithThePreviousPeriod: 'Compare with the previous period',
}
