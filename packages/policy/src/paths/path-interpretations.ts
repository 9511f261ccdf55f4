/**
 * The interpretations of a request target: every path that some origin may plausibly take it for.
 *
 * The target goes to the origin byte for byte as it was sent, because researchers test the origin's own parsing. So a
 * block rule must hold however the origin parses. The interpretations are the closure of the target under `TRANSFORMS`, in
 * every order: whatever a parser does that is a sequence of these steps, its result is among them. The closure is
 * bounded; a target with more interpretations than the bounds allow is said to be `overflowing`, and whoever asks must treat
 * it as if it fell under every rule.
 *
 * A target on which no step changes anything that a rule could see is `clean`: it has one interpretation, found without any
 * of this work.
 */
import type { PathConvention } from '@sallyport/contract'
import { changes, stepsOf } from './path-conventions.ts'
import { DECODINGS_MAX, TRANSFORMS, type Transform } from './transforms.ts'

/** One way to read a target. */
export interface PathInterpretation {
  /** The path as this interpretation has it. */
  readonly text: string
  /** The steps that lead to it, `as sent` where there are none. */
  readonly name: string
}

export interface PathInterpretations {
  readonly list: readonly PathInterpretation[]
  /** True where there are more than were worked out. */
  readonly overflowing: boolean
}

/** Twice as many where the origin has conventions, so that honest targets are as far from the bound as without. */
export const INTERPRETATIONS_MAX = 400
/** Characters of all interpretations together: bounds the work that a long target can cause. */
export const INTERPRETATION_CHARS_MAX = 256 * 1024
export const AS_SENT = 'as sent'

/** A path of plain segments: none is all dots, none ends with one. */
const CLEAN_PATH = /^(?:\/(?:\.*[\w~!$&'()*+,=:@-]+(?:\.+[\w~!$&'()*+,=:@-]+)*)?)+$/
/** Empty segments, names of streams, ASP.NET's sessions: made of what is plain by itself. */
const ODD_PAIR = /\/\/|:[:$]|\/\([a-z]\(/i
/** What could make more of a query than a query: dots that climb, in any encoding, and anything not ASCII. */
const ODD_QUERY = /\.\.|%2e|%25|%u|%[c-f][0-9a-f]|[^!-~]/i

/** A query right after an authority, which some take for a part of that. */
const QUERY_OF_AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*\?/i

/** The path of a target that reads the same to everyone, or undefined where there is more than one interpretation. */
export function cleanPath(target: string): string | undefined {
  const queryStart = target.indexOf('?')
  if (queryStart !== -1 && ODD_QUERY.test(target.slice(queryStart))) return undefined
  const path = queryStart === -1 ? target : target.slice(0, queryStart)
  return CLEAN_PATH.test(path) && !ODD_PAIR.test(path) ? path : undefined
}

interface OpenInterpretation extends PathInterpretation {
  readonly decodings: number
  /** Whether the step is among those that lead to it of which there is one at most. */
  readonly spent: boolean
}

/**
 * Works out the interpretations of a target that is not clean; for one that is, there is its path alone. `conventions` are those
 * of the origin; a clean target has more than one interpretation where one of them makes something of it.
 */
export const interpretationsOf = (
  target: string,
  conventions: readonly PathConvention[] = [],
): PathInterpretations => interpretationsWith(target, stepsOf(conventions))

/** The same, with the steps of the conventions, and a bound on the characters of all interpretations together. */
export function interpretationsWith(
  target: string,
  steps: readonly Transform[],
  charsMax = INTERPRETATION_CHARS_MAX,
): PathInterpretations {
  const clean = cleanPath(target)
  if (clean !== undefined && !changes(steps, clean))
    return { list: [{ text: clean, name: AS_SENT }], overflowing: false }
  const all = steps.length === 0 ? TRANSFORMS : [...TRANSFORMS, ...steps]
  return closure(interpretedText(target), all, charsMax)
}

/** What of a target interpretations are made of: a query that cannot climb is not worth reading as a part of the path, after a path. */
export function interpretedText(target: string): string {
  const queryStart = target.indexOf('?')
  if (queryStart === -1 || QUERY_OF_AUTHORITY.test(target)) return target
  return ODD_QUERY.test(target.slice(queryStart)) ? target : target.slice(0, queryStart)
}

/** Everything that some steps make of a text, in every order. */
export function closure(
  text: string,
  steps: readonly Transform[],
  charsMax = INTERPRETATION_CHARS_MAX,
): PathInterpretations {
  const list: OpenInterpretation[] = [{ text, name: AS_SENT, decodings: 0, spent: false }]
  const known = new KnownTexts(text)
  const interpretationsMax = steps.length > TRANSFORMS.length ? 2 * INTERPRETATIONS_MAX : INTERPRETATIONS_MAX
  let chars = text.length
  // The list grows while it is walked: each interpretation is the beginning of further ones.
  for (const interpretation of list)
    for (const { name, apply, decodes, once } of steps) {
      const decodings = interpretation.decodings + (decodes ? 1 : 0)
      if (decodings > DECODINGS_MAX || (once && interpretation.spent)) continue
      const spent = interpretation.spent || once === true
      const next = apply(interpretation.text)
      if (!known.add(next, decodings, spent)) continue
      chars += next.length
      if (list.length >= interpretationsMax || chars > charsMax) return { list, overflowing: true }
      list.push({ text: next, name: nameAfter(interpretation.name, name), decodings, spent })
    }
  return { list, overflowing: false }
}

/** The fewest steps of which there are few that have led to each text. */
class KnownTexts {
  readonly #fewest: Map<string, number>
  readonly #fewestSpent = new Map<string, number>()

  constructor(text: string) {
    this.#fewest = new Map([[text, 0]])
  }

  /** Whether a text is new, or has come about with more steps left than before. */
  add(text: string, decodings: number, spent: boolean): boolean {
    if ((this.#fewest.get(text) ?? Number.POSITIVE_INFINITY) <= decodings) return false
    const fewest = spent ? this.#fewestSpent : this.#fewest
    if ((fewest.get(text) ?? Number.POSITIVE_INFINITY) <= decodings) return false
    fewest.set(text, decodings)
    return true
  }
}

function nameAfter(before: string, step: string): string {
  if (before === AS_SENT) return step
  if (step !== 'decoded') return `${before}, ${step}`
  if (/(?:^|, )decoded$/.test(before)) return `${before} twice`
  return /(?:^|, )decoded twice$/.test(before)
    ? before.replace(/twice$/, 'three times')
    : `${before}, ${step}`
}
