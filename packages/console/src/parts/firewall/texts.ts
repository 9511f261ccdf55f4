import type { ReactNode } from 'react'
import { percent, wholeNumber } from '../../language/number.ts'
import { phrase } from '../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  makeAnExclusion: 'Make an exclusion',
  lookingForTheNarrowestExclusion: 'Looking for the narrowest exclusion…',

  theExclusionsAreInForce: 'The exclusions are in force.',
  theExclusionIsInForce: 'The exclusion is in force.',
  oneExclusionForEach: (words: ReactNode) =>
    phrase`One exclusion for each of these rules, saved as one change: ${words}`,
  nameAtLeast: 'Name at least a rule, a path that begins with / or a parameter.',
  tryItOnRecordedTraffic: 'Try it on recorded traffic',
  saveExclusions: (furtherRules: number) => `Save ${furtherRules} exclusions`,
  tryItFirst: 'Try it on recorded traffic first',
  saveExclusion: 'Save exclusion',

  exclusion: 'exclusion',
  exclusions: 'Exclusions',
  exclusionsHint: 'Known false alarms. Matches under an exclusion are still recorded, but never refused.',
  noExclusions: 'No exclusions',
  noExclusionsBody:
    'Open a request that matched by mistake and choose "Make an exclusion" to get the narrowest one.',
  addAnExclusion: 'Add an exclusion',

  testingItAgainst: 'Testing it against the last 7 days…',
  trialResult: ({
    name,
    hits,
    removed,
    name2,
    requests,
  }: {
    readonly name: ReactNode
    readonly hits: number
    readonly removed: number
    readonly name2: ReactNode
    readonly requests: number
  }) =>
    phrase`Over the last 7 days it would remove ${name} of ${wholeNumber(hits)} hits (${percent(removed, hits)}), and leave ${name2} of ${wholeNumber(requests)} requests with no hit.`,
  noRecordedRequestMatches: 'No recorded request matches it.',

  remove: 'Remove',
  removeThis: (noun: string) => `Remove this ${noun}`,
  theIsRemoved: (noun: string) => `The ${noun} is removed.`,
  note: 'Note',
  until: 'Until',
  removed: 'removed',

  rule: 'Rule',
  everyRule: 'every rule',
  path: 'Path',
  part: 'Part',
  parameter: 'Parameter',
  partOfTheRequest: 'Part of the request',
  partOfTheRequestHint: 'query, path, body, header, cookie, …; empty: any',
  empty: (any: string) => `Empty: ${any}`,
}
