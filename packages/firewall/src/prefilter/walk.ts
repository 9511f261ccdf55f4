/**
 * The way of a text through the gates of a net. First it is read for the literals that are in it. Then the ways of those
 * expressions are gone that it holds the rarest literals of.
 *
 * In which order literals come is not asked: it would be noted at each letter, and what passes is read by an automaton anyhow.
 */
import { type CompiledNet, isEdged } from './compiled-net.ts'
import { isFoldedCode, NOT_ASCII } from './expressions/expression.ts'
import { START } from './expressions/requirements.ts'
import type { LiteralAutomaton } from './literal-automaton.ts'

/** Reads one text after another. */
export interface Walk {
  /** Reads a text, unless it was the last one that was read. */
  read(text: string): void
  /** Whether it holds a letter that RE2 takes for one of ASCII. */
  isFolded(): boolean
  /** The expressions that have a way through it; of those that are marked, where some are. The list is used again. */
  found(marked: Uint8Array | undefined): readonly number[]
}

/** What was read; what is marked with another number is of a text before. */
interface Read {
  number: number
  text: string
  isFolded: boolean
  /** By literal, in which text it was found last. */
  readonly held: Float64Array
  /** The literals that are in the present text. */
  readonly literals: number[]
}

export function createWalk(net: CompiledNet, automaton: LiteralAutomaton): Walk {
  const held = new Float64Array(net.edges.length)
  const read: Read = { number: 0, text: '', isFolded: false, held, literals: [] }
  const readText = createReader(net, automaton, read)
  const passes = createPasses(net, read)
  const found: number[] = []
  /** By expression, when it was last looked into. */
  const lookedInto = new Float64Array(net.ends.length)
  let looks = 0
  return {
    read: readText,
    isFolded: () => read.isFolded,
    found(marked) {
      found.length = 0
      looks++
      const { starts, items } = net.triggered
      for (const literal of read.literals)
        for (let at = starts[literal] ?? 0; at < (starts[literal + 1] ?? 0); at++) {
          const expression = items[at] ?? 0
          if (lookedInto[expression] === looks || marked?.[expression] === 0) continue
          lookedInto[expression] = looks
          if (passes(expression)) found.push(expression)
        }
      return found
    },
  }
}

/** Reads texts for what is in them. */
function createReader(net: CompiledNet, automaton: LiteralAutomaton, read: Read): (text: string) => void {
  const { columns, next, ends, width, shorter, literalsAt } = automaton
  const { held, literals } = read
  /** By row, the text in which all of the literals were found that end there. */
  const settled = new Float64Array(shorter.length)
  const meet = (row: number, text: string, at: number): void => {
    const { number } = read
    let isSettled = true
    for (let end = row; end !== 0; end = shorter[end] ?? 0)
      for (let index = literalsAt.starts[end] ?? 0; index < (literalsAt.starts[end + 1] ?? 0); index++) {
        const literal = literalsAt.items[index] ?? 0
        if (held[literal] === number) continue
        if (isEdged(net, literal, text, at)) {
          held[literal] = number
          literals.push(literal)
        } else isSettled = false
      }
    if (isSettled) settled[row] = number
  }
  return (text) => {
    if (text === read.text) return
    const number = ++read.number
    read.text = text
    literals.length = 0
    let isFolded = false
    let row = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (isFoldedCode(code)) isFolded = true
      row = next[row * width + (code < NOT_ASCII ? (columns[code] ?? 0) : 0)] ?? 0
      const end = ends[row] ?? 0
      if (end !== 0 && settled[end] !== number) meet(end, text, at)
    }
    read.isFolded = isFolded
  }
}

/** Says whether an expression has a way through the text that was read. */
function createPasses(
  { ways, from, to, setOf, ends, members }: CompiledNet,
  read: Read,
): (expression: number) => boolean {
  const { held } = read
  const reached = new Uint8Array(ends.at(-1) ?? 0)
  const holdsOneOf = (set: number, number: number): boolean => {
    for (let at = members.starts[set] ?? 0; at < (members.starts[set + 1] ?? 0); at++)
      if (held[members.items[at] ?? 0] === number) return true
    return false
  }
  return (expression) => {
    const end = ends[expression] ?? 0
    reached.fill(0, end, ends[expression + 1])
    reached[START] = 1
    for (let at = ways.starts[expression] ?? 0; at < (ways.starts[expression + 1] ?? 0); at++) {
      const way = ways.items[at] ?? 0
      const gate = to[way] ?? 0
      if (reached[from[way] ?? 0] === 0 || reached[gate] === 1) continue
      const set = setOf[way] ?? 0
      if (set < 0 || holdsOneOf(set, read.number)) reached[gate] = 1
    }
    return reached[end] === 1
  }
}
