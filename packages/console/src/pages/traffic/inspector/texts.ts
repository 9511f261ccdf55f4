import type { ReactNode } from 'react'
import { phrase } from '../../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  copyAs: 'Copy as',
  copiedWhatIsMasked: 'Copied. What is masked in the record is masked here; bodies are not recorded.',
  curlCommand: 'curl command',
  copiedTheHead: 'Copied: the head, as far as it is recorded.',
  rawHttp: 'Raw HTTP',
  copiedTheAddress: 'Copied: the address of this request.',
  link: 'Link',

  firewallFindings: 'Firewall findings',
  in: (words: ReactNode) => phrase`in ${words}`,
  rules: (rules: number) => `${rules} rules`,
  excluded: 'excluded',
  becauseOf: (reason: string) => `Because of: ${reason}`,
  theRulesAndWhat: (rules: number) => `The ${rules} rules, and what each matched`,
  excludeTheseRulesHere: (rules: number) => `Exclude these ${rules} rules here`,
  makeAnExclusion: 'Make an exclusion',
  excludeOnly: (rule: string) => `Exclude only ${rule}`,
  onlyThisOne: 'Only this one',

  request: 'Request',
  of: (position: number, count: number) => `${position} of ${count}`,
  notInTheListShown: 'not in the list shown',
  previousRequest: 'Previous request',
  previousK: 'Previous (k)',
  nextRequest: 'Next request',
  nextJ: 'Next (j)',
  close: 'Close',
  closeEscape: 'Close (Escape)',
  allRequestsOfThisRoute: 'All requests of this route',

  theMinuteAroundThisRequest: 'The minute around this request',
  showInTheTable: 'Show in the table',
  theNewestOfThem: (shownMax: number) => `The newest ${shownMax} of them.`,

  widthOfTheRequest: 'Width of the request',
}
