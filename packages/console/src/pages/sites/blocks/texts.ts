import type { ReactNode } from 'react'
import { phrase } from '../../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  testARequest: 'Test a request',
  testARequestHint: 'Enter a target exactly as a tool would send it, encodings included.',
  methodOfTheTestedRequest: 'Method of the tested request',
  targetOfTheTestedRequest: 'Target of the tested request',
  refusedWith: (status: number) => `Refused with ${status}`,
  byTheRule: (words: ReactNode, note: string, reading: string) =>
    phrase`By the rule for ${words}${note}, reading the target: ${reading}.`,
  passesTheBlockRules: 'Passes the block rules',
  noReadingOf: 'No reading of this target matches a rule in force.',
  parsersMayDisagreeAbout:
    'Parsers may disagree about this target; a site that refuses such targets would refuse it.',
  waysToRead: (readings: number) => `${readings} ways to read it`,

  theBlockRules: 'The block rules',
  blockedPaths: 'Blocked paths',
  blockedPathsHint:
    'A rule covers its path and everything below it, however the request spells it: encoded, doubled, with dots or in another case.',
  addARule: 'Add a rule',
  save: 'Save',
  aRuleIsNotRight: 'A rule is not right yet',
  notSavedYet: 'Not saved yet. The tester below uses the rules as shown here.',
  noBlockRules: 'No block rules',
  noBlockRulesBody: 'Every path of the site is in scope. Add a rule for each path that must not be touched.',
  on: 'On',
  path: 'Path',
  methodsEmptyAll: 'Methods (empty: all)',
  status: 'Status',
  note: 'Note',
  until: 'Until',

  rule: (number: number) => `Rule ${number}`,
  inForce: 'In force',
  removeRule: (number: number) => `Remove rule ${number}`,
  methods: 'Methods',
  all: 'all',

  blockRulesSaved: 'Block rules saved.',
}
