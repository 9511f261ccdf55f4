import type { ReactNode } from 'react'
import { isolated } from '../../design/isolated.ts'
import { wholeNumber } from '../../language/number.ts'
import { phrase } from '../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  on: (attack: string, method: string) => `${isolated(attack)} on ${isolated(method)}`,
  neverTriedInThisWindow: 'Never tried in this window',
  theseRequestsInTheTraffic: 'These requests in the traffic',
  attempts: 'Attempts',
  researcher: 'Researcher',
  where: 'Where',
  whatBecameOf: 'What became of it',
  first: 'First',
  last: 'Last',

  marksOfTheMap: 'Marks of the map',
  neverTried: (words: ReactNode) => phrase`${words}Never tried`,

  mapOfCoverage: 'Map of coverage',
  attemptsByOperation: 'Attempts by operation and class of attack',
  operation: 'Operation',
  ofWhichTheGate: (uninspected: number) =>
    `, of which the gate refused ${wholeNumber(uninspected)} before they were inspected`,
  requests: (requests: number, uninspected: string) => `${wholeNumber(requests)} requests${uninspected}`,

  theFirewallOnlyObserves: (openDays: number) =>
    `The firewall only observes these parameters for ${openDays} days.`,
  looksCleanBecause: 'Looks clean because the gate refused it',
  theRequestsNeverReached: 'The requests never reached the origin, so nothing is known about it.',
  forDaysTheFirewall: (openDays: number, code: ReactNode, places: string) =>
    phrase`For ${openDays} days the firewall can observe instead under ${code}, in ${places}.`,
  letTheseThrough: 'Let these through for a week',
  blockRules: 'Block rules',
  rateLimit: 'Rate limit',
  coverageOn: (attack: string, method: string, template: string) =>
    `Coverage: ${attack} on ${method} ${template}`,
}
