/**
 * What a text must hold to match expressions, as a net of gates: through a gate one comes by literals that occur in the
 * text, one after the other. The way from the beginning to an expression's end is open wherever the expression
 * matches, and seldom elsewhere. Repetitions are passed once, and what may be anything is passed freely.
 */
import type { Expression } from './expression.ts'
import { EMPTY, joined, type Literal, type LiteralSet, literalsOf } from './literals.ts'

/** From one gate to another by any of these literals. */
export interface Passage {
  readonly from: number
  readonly literals: LiteralSet
  readonly to: number
}

/** The gate that is always open. */
export const START = 0

/** The net of many expressions. */
export interface Requirements {
  readonly gates: number
  readonly passages: readonly Passage[]
  /** Ways that need no literal. */
  readonly free: readonly { readonly from: number; readonly to: number }[]
}

/** Where an expression ends in the net. */
export interface ExpressionEnd {
  /** The gate that is open in every text which the expression matches. */
  readonly gate: number
  /** The rarest of the sets of which every such text holds a literal; undefined where none is known. */
  readonly rarest: LiteralSet | undefined
}

/** Collects expressions. */
export function createRequirements(): Requirements & { add(expression: Expression): ExpressionEnd } {
  const passages: Passage[] = []
  const free: { from: number; to: number }[] = []
  let gates = 1

  const pass = (from: number, literals: LiteralSet, to: number): LiteralSet | undefined => {
    if (literals.some(({ text }) => text === '')) {
      free.push({ from, to })
      return undefined
    }
    passages.push({ from, literals, to })
    return literals
  }
  /** Each of these leads on the way, and returns the rarest set that is on every way. */
  const connect = (expression: Expression, from: number, to: number): LiteralSet | undefined => {
    const literals = literalsOf(expression)
    if (literals) return pass(from, literals, to)
    if (expression.kind === 'choice')
      return unitedSets(expression.options.map((option) => connect(option, from, to)))
    if (expression.kind === 'repeat' && expression.min > 0) return connect(expression.of, from, to)
    if (expression.kind === 'sequence') return connectSequence(expression.parts, from, to)
    free.push({ from, to })
    return undefined
  }
  /** Parts that are literals go together into longer ones as far as they can. */
  const connectSequence = (
    parts: readonly Expression[],
    from: number,
    to: number,
  ): LiteralSet | undefined => {
    let at = from
    let literals: LiteralSet = [EMPTY]
    let rarest: LiteralSet | undefined
    const advance = (through: (next: number) => LiteralSet | undefined): void => {
      const next = gates++
      rarest = rarer(rarest, through(next))
      at = next
    }
    const flush = (): void => {
      const known = literals
      if (!known.some(({ text }) => text === '')) advance((next) => pass(at, known, next))
      literals = [EMPTY]
    }
    for (const part of parts) {
      const once = part.kind === 'repeat' && part.min > 0 ? joined(literals, literalsOf(part.of)) : undefined
      const own = literalsOf(part)
      // What is repeated begins once, right after what stands before it.
      if (own === undefined && once && !literals.some(({ text }) => text === '')) {
        literals = once
        flush()
        continue
      }
      const longer = joined(literals, own)
      if (longer) {
        literals = longer
        continue
      }
      flush()
      if (own) literals = own
      else advance((next) => connect(part, at, next))
    }
    flush()
    free.push({ from: at, to })
    return rarest
  }
  return {
    get gates() {
      return gates
    },
    passages,
    free,
    add(expression) {
      const gate = gates++
      return { gate, rarest: connect(expression, START, gate) }
    },
  }
}

function unitedSets(sets: readonly (LiteralSet | undefined)[]): LiteralSet | undefined {
  const all: Literal[] = []
  for (const set of sets) {
    if (set === undefined) return undefined
    all.push(...set)
  }
  return all
}

/** The one of two sets that ordinary text holds less often; undefined is no set. */
export function rarer(one: LiteralSet | undefined, other: LiteralSet | undefined): LiteralSet | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return frequencyOf(other) < frequencyOf(one) ? other : one
}

/** How often one of them stands at a place of ordinary text, roughly. */
const frequencyOf = (literals: LiteralSet): number =>
  literals.reduce((sum, { text, startsWord, endsWord }) => {
    const edges = (startsWord ? 0.3 : 1) * (endsWord ? 0.3 : 1)
    return sum + Array.from(text, letterFrequency).reduce((product, one) => product * one, edges)
  }, 0)

function letterFrequency(letter: string): number {
  if (/[a-z0-9 ]/.test(letter)) return 0.05
  return /[-/.:=&?_,%+]/.test(letter) ? 0.03 : 0.002
}
