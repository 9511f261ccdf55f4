/**
 * How sure it is that a scanner sent a request: few signs, each between nothing and all of its weight, added up as logarithms of odds.
 * No sign alone says more than "perhaps": people open many pages at once, applications are broken, and proxies reorder headers. The
 * weights are set by hand and held against one half of the samples of `bench/scanners.ts`; docs/scanners.md shows both halves.
 */

import type { HeaderSign } from '../headers/header-signs.ts'
import type { ClientFacts } from './client-memory.ts'

export interface ScannerVerdict {
  /** 0 to 100; 0 where next to nothing points to one. */
  readonly percent: number
  /** The signs, the weightiest first; empty where the percentage is 0. */
  readonly reason: string
}

export const NO_SCANNER: ScannerVerdict = { percent: 0, reason: '' }
/** Of what a tool says of itself nothing has to be guessed. */
export const NAMED_SCANNER: ScannerVerdict = { percent: 100, reason: 'names itself' }

interface Sign {
  readonly weight: number
  /** As the record says it. */
  readonly words: string
}

/** What one request shows. */
const HEADER_SIGNS: Readonly<Record<HeaderSign, Sign>> = {
  incomplete: { weight: 1.5, words: 'lacks headers of its browser' },
  contradiction: { weight: 1.5, words: 'headers of another browser' },
  http10: { weight: 1.5, words: 'HTTP/1.0 of a browser' },
  outdated: { weight: 1, words: 'browser of years ago' },
  nameless: { weight: 1, words: 'no user agent' },
  order: { weight: 0.7, words: 'headers in another order' },
}

/** 0 up to `from`, 1 from `to` on, and in proportion between them; where `to` is the smaller one, the other way round. */
const ramp = (value: number, from: number, to: number): number =>
  Math.min(Math.max((value - from) / (to - from), 0), 1)

const shareOf = (part: number, whole: number): number => (whole > 0 ? part / whole : 0)

interface BehaviourSign extends Sign {
  /** How strong it is, from 0 to 1. */
  readonly strength: (facts: ClientFacts, isBrowser: boolean) => number
}

/** What a client did lately. */
const BEHAVIOUR_SIGNS: readonly BehaviourSign[] = [
  {
    weight: 4,
    words: 'more pages than people read',
    strength: ({ pagesPerMinute }) => ramp(pagesPerMinute, 30, 120),
  },
  {
    weight: 3,
    words: 'mostly what is not there',
    strength: ({ paths, missedPaths }) =>
      ramp(missedPaths, 8, 25) * ramp(shareOf(missedPaths, paths), 0.5, 0.9),
  },
  {
    weight: 4,
    words: 'payload after payload',
    strength: ({ payloadsPerMinute }) => ramp(payloadsPerMinute, 6, 40),
  },
  { weight: 2, words: 'many kinds of attack', strength: ({ classes }) => ramp(classes, 3, 7) },
  {
    weight: 2,
    words: 'even pace',
    strength: ({ pauses, pauseVariation }) => ramp(pauses, 8, 20) * ramp(pauseVariation, 0.5, 0.15),
  },
  {
    weight: 2,
    words: 'more calls than pages make',
    strength: ({ callsPerMinute }) => ramp(callsPerMinute, 120, 500),
  },
  {
    weight: 1.5,
    words: 'pages without their parts',
    strength: ({ pages, parts }, isBrowser) =>
      isBrowser ? ramp(pages, 8, 20) * ramp(shareOf(parts, pages), 0.5, 0) : 0,
  },
]
const ROTATION: Sign = { weight: 2.5, words: 'changing user agents' }

/** Of what nothing is known: that one request in fifty or sixty is a scanner's. */
const PRIOR = -4
const PERCENT_MIN = 10
/** Less than this is not worth a word. */
const WORTH_SAYING = 0.3
const SAID_MAX = 4

/** What is known of who sent a request. */
export interface SenderEvidence {
  readonly headerSigns: readonly HeaderSign[]
  readonly isBrowser: boolean
  /** Null of one of whom nothing is remembered. */
  readonly facts: ClientFacts | null
  /** It came under one of more user agents than are told apart. */
  readonly isRotating: boolean
}

export function scoreScanner(evidence: SenderEvidence): ScannerVerdict {
  const { headerSigns, isBrowser, facts, isRotating } = evidence
  let sum = PRIOR
  for (const name of headerSigns) sum += HEADER_SIGNS[name].weight
  if (facts) for (const { weight, strength } of BEHAVIOUR_SIGNS) sum += weight * strength(facts, isBrowser)
  if (isRotating) sum += ROTATION.weight
  const percent = Math.round(100 / (1 + Math.exp(-sum)))
  return percent < PERCENT_MIN ? NO_SCANNER : { percent, reason: reasonOf(evidence) }
}

/** Most requests have none, so it is made apart. */
function reasonOf({ headerSigns, isBrowser, facts, isRotating }: SenderEvidence): string {
  const said: { readonly words: string; readonly part: number }[] = []
  const add = ({ weight, words }: Sign, strength: number): void => {
    if (weight * strength >= WORTH_SAYING) said.push({ words, part: weight * strength })
  }
  for (const name of headerSigns) add(HEADER_SIGNS[name], 1)
  if (facts) for (const sign of BEHAVIOUR_SIGNS) add(sign, sign.strength(facts, isBrowser))
  if (isRotating) add(ROTATION, 1)
  said.sort((one, other) => other.part - one.part)
  return said
    .slice(0, SAID_MAX)
    .map(({ words }) => words)
    .join(', ')
}
