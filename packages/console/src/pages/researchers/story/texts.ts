import type { ReactNode } from 'react'
import { wholeNumber } from '../../../language/number.ts'
import { phrase } from '../../../language/phrase.ts'
import { counted } from '../../../language/plural.ts'

/** The words of this folder, in English. */
export const texts = {
  activity: 'Activity',
  all: 'All',
  bucketsRequests: (buckets: string) => `${buckets} requests`,
  requestsOfThisResearcher: 'Requests of this researcher',
  noRequestsInThisWindow: 'No requests in this window',

  siteOfTheCoverage: 'Site of the coverage',
  coverage: 'Coverage',
  coverageHint: ({
    tried,
    operations,
    triedCells,
    cells,
    isPartial,
  }: {
    readonly tried: number
    readonly operations: number
    readonly triedCells: number
    readonly cells: number
    readonly isPartial: undefined | boolean
  }) =>
    `${wholeNumber(tried)} of ${wholeNumber(operations)} operations tried, ${wholeNumber(triedCells)} of ${wholeNumber(cells)} pairs of an operation and a class of attack.${isPartial ? ' More was recorded than is counted: what was rarest is left out.' : ''}`,
  fullMap: 'Full map',
  noAttacksOnKnown: 'No attacks on known operations in this window',
  operationsThisResearcherTried: 'Operations this researcher tried',
  operation: 'Operation',
  triedWith: 'Tried with',

  theGatesOwnHost: 'The gate’s own host',
  tools: 'Tools',
  addresses: 'Addresses',
  notRecorded: 'Not recorded',
  sites: 'Sites',
  attackClasses: 'Attack classes',
  refusalReasons: 'Refusal reasons',
  noDataInThisWindow: 'No data in this window',
  browserOrUnknown: 'Browser or unknown',
  ofTheseAScanner: 'of these, a scanner by what it does',
  firstSeen: 'First seen',
  lastSeen: 'Last seen',
  requests: 'Requests',

  time: 'Time',
  different: 'Different',
  statuses: 'Statuses',
  attacks: 'Attacks',
  furthestResult: 'Furthest result',
  site: 'Site',
  visitOf: (start: string) => `Visit of ${start}`,
  atRequestsTo: (visit: string, sites: string) =>
    `${visit} at ${sites}. Requests to the same route that follow one another are one step.`,
  thisVisitIs: 'This visit is no longer in the record',
  stepsOfTheVisit: 'Steps of the visit',
  showMore: 'Show more',
  andOthersNotFound: (code: ReactNode) => phrase`${code} and others, not found`,
  payloads: (count: number) => counted(count, { one: 'payload', other: 'payloads' }),
  paths: (paths: number) => `${wholeNumber(paths)} paths`,
  targets: (targets: number) => `${wholeNumber(targets)} targets`,
  noAnswer: 'no answer',

  theyMayNotEnter: (gatedName: string) => `They may not enter ${gatedName} as it is.`,
  stopThemAt: (gatedName: string) => `Stop them at ${gatedName}?`,
  stopAtThisSite: 'Stop at this site',
  theyAreTakenOff:
    'They are taken off its list: refused within a second, running requests included. Other sites are as before.',
  everyActiveResearcherMay: (ids: number) =>
    `Every active researcher may enter it now. From then on only its list may: ${wholeNumber(ids)} who are invited now, and not whom you invite later unless you add them. They are refused within a second, running requests included.`,
  theyMayNotEnterAny: (gatedName: string) => `They may not enter ${gatedName} any more.`,
  stopHereGatedName: (gatedName: string) => `Stop here: ${gatedName}`,
  stopHere: 'Stop here',

  lanes: 'Lanes',
  table: 'Table',
  visits: 'Visits',
  visitsHint: 'A visit ends where 30 minutes pass without a request.',
  showVisitsAs: 'Show visits as',
  theseAreTheNewest: (visits: number) => `These are the newest ${visits}; there were more in this window.`,
  noAttack: (words: ReactNode) => phrase`${words}No attack`,
  never: 'never',

  visitsByDayArrow: 'Visits by day. Arrow keys move between them.',

  began: 'Began',
  lasted: 'Lasted',
  status5xx: '5xx',
  refused: 'Refused',
}
