/**
 * What a text must hold to match expressions, as a net of gates: through a gate one comes by literals that occur in the
 * text, one after the other. The way from the beginning to an expression's end is open wherever the expression
 * matches, and seldom elsewhere. Repetitions are passed once, and what may be anything is passed freely.
 */
import type { Expression } from './expression.ts'
import { EMPTY, joined, type Literal, type LiteralSet, literalKey, literalsOf } from './literals.ts'

/** From one gate to another by any of these literals. */
export interface Passage {
  readonly from: number
  readonly literals: LiteralSet
  readonly to: number
}

/** The gate that is always open. */
export const START = 0

/** The net of many expressions; it grows as they are added. */
export interface Requirements {
  /** How many gates there are. */
  gates: number
  readonly passages: Passage[]
  /** Ways that need no literal. */
  readonly free: { readonly from: number; readonly to: number }[]
}

/** A set of literals, and how often one of them stands at a place of ordinary text, roughly. */
export interface RatedSet {
  readonly literals: LiteralSet
  readonly frequency: number
}

/** Where an expression ends in the net. */
export interface ExpressionEnd {
  /** The gate that is open in every text which the expression matches. */
  readonly gate: number
  /** The rarest of the sets of which every such text holds a literal; undefined where none is known. */
  readonly rarest: RatedSet | undefined
}

/** A net of no expression. */
export const createRequirements = (): Requirements => ({ gates: 1, passages: [], free: [] })

/** Adds what an expression asks for. */
export function addExpression(net: Requirements, expression: Expression): ExpressionEnd {
  const gate = net.gates++
  return { gate, rarest: connect(net, expression, START, gate) }
}

/** Leads from one gate to another through an expression; returns the rarest set that is on every way. */
function connect(net: Requirements, expression: Expression, from: number, to: number): RatedSet | undefined {
  const literals = literalsOf(expression)
  if (literals) return pass(net, from, literals, to)
  if (expression.kind === 'choice')
    return unitedSets(expression.options.map((option) => connect(net, option, from, to)))
  if (expression.kind === 'repeat' && expression.min > 0) return connect(net, expression.of, from, to)
  if (expression.kind === 'sequence') return connectSequence(net, expression.parts, from, to)
  net.free.push({ from, to })
  return undefined
}

const mayBeEmpty = (literals: LiteralSet): boolean => literals.some(({ text }) => text === '')

function pass(net: Requirements, from: number, literals: LiteralSet, to: number): RatedSet | undefined {
  if (mayBeEmpty(literals)) {
    net.free.push({ from, to })
    return undefined
  }
  const short = beginningsOf(literals)
  net.passages.push({ from, literals: short, to })
  return { literals: short, frequency: frequencyOf(short) }
}

/** More of a literal makes the automaton larger and says little more: what passes is read by an automaton of the whole expression. */
const LITERAL_CHARS_MAX = 6

function beginningsOf(literals: LiteralSet): LiteralSet {
  const byKey = new Map<string, Literal>()
  for (const literal of literals) {
    const isShort = literal.text.length <= LITERAL_CHARS_MAX
    const beginning = isShort
      ? literal
      : { ...literal, text: literal.text.slice(0, LITERAL_CHARS_MAX), endsWord: false }
    byKey.set(literalKey(beginning), beginning)
  }
  return [...byKey.values()]
}

/** How far the way through a sequence has come. */
interface SequenceWay {
  at: number
  /** What the parts since `at` are made of: literals go together into longer ones as far as they can. */
  literals: LiteralSet
  rarest: RatedSet | undefined
}

function connectSequence(
  net: Requirements,
  parts: readonly Expression[],
  from: number,
  to: number,
): RatedSet | undefined {
  const way: SequenceWay = { at: from, literals: [EMPTY], rarest: undefined }
  for (const part of parts) addPart(net, way, part)
  passLiterals(net, way)
  net.free.push({ from: way.at, to })
  return way.rarest
}

function addPart(net: Requirements, way: SequenceWay, part: Expression): void {
  const own = literalsOf(part)
  const longer = joined(way.literals, own)
  if (longer) {
    way.literals = longer
    return
  }
  const once = own ? undefined : joinedOnce(way.literals, part)
  if (once) way.literals = once
  passLiterals(net, way)
  if (own) way.literals = own
  else if (!once) advance(net, way, (next) => connect(net, part, way.at, next))
}

/** What is repeated begins once, right after what stands before it. */
function joinedOnce(before: LiteralSet, part: Expression): LiteralSet | undefined {
  if (part.kind !== 'repeat' || part.min === 0 || mayBeEmpty(before)) return undefined
  return joined(before, literalsOf(part.of))
}

/** Goes on to a new gate by the literals that have come together. */
function passLiterals(net: Requirements, way: SequenceWay): void {
  const { literals } = way
  way.literals = [EMPTY]
  if (!mayBeEmpty(literals)) advance(net, way, (next) => pass(net, way.at, literals, next))
}

function advance(net: Requirements, way: SequenceWay, through: (next: number) => RatedSet | undefined): void {
  const next = net.gates++
  way.rarest = rarer(way.rarest, through(next))
  way.at = next
}

function unitedSets(sets: readonly (RatedSet | undefined)[]): RatedSet | undefined {
  const literals: Literal[] = []
  let frequency = 0
  for (const set of sets) {
    if (set === undefined) return undefined
    literals.push(...set.literals)
    frequency += set.frequency
  }
  return { literals, frequency }
}

/** The one of two sets that ordinary text holds less often; undefined is no set. */
export function rarer<Set extends { readonly frequency: number }>(
  one: Set | undefined,
  other: Set | undefined,
): Set | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return other.frequency < one.frequency ? other : one
}

function frequencyOf(literals: LiteralSet): number {
  let sum = 0
  for (const { text, startsWord, endsWord } of literals) {
    let product = (startsWord ? 0.3 : 1) * (endsWord ? 0.3 : 1)
    for (let at = 0; at < text.length; at++) product *= FREQUENCIES[text.charCodeAt(at)] ?? 0
    sum += product
  }
  return sum
}

/** By code of an ASCII letter. */
const FREQUENCIES = Float64Array.from({ length: 128 }, (_, code) =>
  letterFrequency(String.fromCharCode(code)),
)

function letterFrequency(letter: string): number {
  if (/[a-z0-9 ]/.test(letter)) return 0.05
  return /[-/.:=&?_,%+]/.test(letter) ? 0.03 : 0.002
}
