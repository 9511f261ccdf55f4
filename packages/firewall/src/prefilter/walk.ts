/**
 * The way of a text through the gates of a net. First it is read for the literals that are in it. Then the ways of those
 * expressions are gone that it holds the rarest literals of.
 *
 * In which order literals come is not asked: it would be noted at each letter, and what passes is read by an automaton anyhow.
 */
import { type CompiledNet, isEdged } from './compiled-net.ts'
import { START } from './expressions/requirements.ts'
import { type Letters, readLetters } from './letters.ts'
import { columnsByCode, type LiteralAutomaton } from './literal-automaton.ts'

/** Reads one text after another. */
export interface Walk {
  /** Reads a text, unless it was the last one that was read. */
  read(text: string): void
  /** Whether it holds a letter that RE2 takes for one of ASCII. */
  isFolded(): boolean
  /** Whether it holds one of the literals that are marked. */
  holds(marked: Uint8Array): boolean
  /** The expressions that have a way through it; of those that are marked, where some are. The list is used again. */
  found(marked: Uint8Array | undefined): readonly number[]
}

/** What was read; what is marked with another number is of a text before. */
interface Read {
  number: number
  text: string
  isFolded: boolean
  /** By literal, in which text it was found last; by set, in which text one of its literals was. */
  readonly held: Float64Array
  readonly open: Float64Array
  /** The literals that are in the present text, and how many these are. */
  readonly literals: Int32Array
  count: number
}

export function createWalk(net: CompiledNet, automaton: LiteralAutomaton): Walk {
  const held = new Float64Array(net.edges.length)
  const open = new Float64Array(net.sets)
  const literals = new Int32Array(held.length)
  const read: Read = { number: 0, text: '', isFolded: false, held, open, literals, count: 0 }
  const readText = createReader(net, automaton, read)
  const passes = createPasses(net, read)
  const found: number[] = []
  /** By expression, when it was last looked into. */
  const lookedInto = new Float64Array(net.ends.length)
  let looks = 0
  return {
    read: readText,
    isFolded: () => read.isFolded,
    holds(marked) {
      for (let at = 0; at < read.count; at++) if (marked[literals[at] ?? 0] === 1) return true
      return false
    },
    found(marked) {
      found.length = 0
      looks++
      const { starts, items } = net.triggered
      for (let index = 0; index < read.count; index++) {
        const literal = literals[index] ?? 0
        const end = starts[literal + 1] ?? 0
        for (let at = starts[literal] ?? 0; at < end; at++) {
          const expression = items[at] ?? 0
          if (lookedInto[expression] === looks || marked?.[expression] === 0) continue
          lookedInto[expression] = looks
          if (passes(expression)) found.push(expression)
        }
      }
      return found
    },
  }
}

/** Reads texts for what is in them. */
function createReader(net: CompiledNet, automaton: LiteralAutomaton, read: Read): (text: string) => void {
  const { next, ends, width, shorter, literalsAt, firstEnding } = automaton
  const columns = columnsByCode(automaton)
  const { held, open, literals } = read
  const { starts, items } = net.memberOf
  const note = (literal: number, number: number): void => {
    held[literal] = number
    literals[read.count++] = literal
    const end = starts[literal + 1] ?? 0
    for (let at = starts[literal] ?? 0; at < end; at++) open[items[at] ?? 0] = number
  }
  /** By row, the text in which all of the literals were found that end there. */
  const settled = new Float64Array(shorter.length)
  const meet = (row: number, codes: Uint8Array, at: number): void => {
    const { number } = read
    let isSettled = true
    for (let end = ends[row] ?? 0; end !== 0; end = shorter[end] ?? 0)
      for (let index = literalsAt.starts[end] ?? 0; index < (literalsAt.starts[end + 1] ?? 0); index++) {
        const literal = literalsAt.items[index] ?? 0
        if (held[literal] === number) continue
        if (isEdged(net, literal, codes, at)) {
          note(literal, number)
        } else isSettled = false
      }
    if (isSettled) settled[row] = number
  }
  const readCodes = ({ codes, length }: Letters, number: number): void => {
    let row = 0
    for (let at = 0; at < length; at++) {
      // Nothing is called in here: V8 would look up anew for each letter where the tables lie.
      for (; at < length; at++) {
        row = next[row * width + (columns[codes[at] ?? 0] ?? 0)] ?? 0
        if (row >= firstEnding && settled[row] !== number) break
      }
      if (at < length) meet(row, codes, at)
    }
  }
  return (text) => {
    if (text === read.text) return
    const letters = readLetters(text)
    read.text = text
    read.isFolded = letters.isFolded
    read.count = 0
    readCodes(letters, ++read.number)
  }
}

/** Says whether an expression has a way through the text that was read. */
function createPasses(
  { waysFrom, from, to, setOf, ends }: CompiledNet,
  read: Read,
): (expression: number) => boolean {
  const { open } = read
  const reached = new Uint8Array(ends.at(-1) ?? 0)
  return (expression) => {
    const { number } = read
    const end = ends[expression] ?? 0
    const last = waysFrom[expression + 1] ?? 0
    reached.fill(0, end, ends[expression + 1])
    reached[START] = 1
    for (let way = waysFrom[expression] ?? 0; way < last; way++) {
      if (reached[from[way] ?? 0] === 0) continue
      const set = setOf[way] ?? 0
      if (set >= 0 && open[set] !== number) continue
      const gate = to[way] ?? 0
      if (gate === end) return true
      reached[gate] = 1
    }
    return false
  }
}
