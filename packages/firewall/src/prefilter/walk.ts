/** The way of a text through the gates of a net: which of them its literals open, one after the other. */
import { type CompiledNet, isEdged } from './compiled-net.ts'
import type { LiteralAutomaton } from './literal-automaton.ts'

/** The way through the gates of one text after another. */
export interface Walk {
  /** The expressions whose last gate is open. */
  readonly found: readonly number[]
  begin(): void
  /** Takes the passages that wait for the literals which end at `at` of `text`. */
  meet(row: number, text: string, at: number): void
}

export function createWalk(net: CompiledNet, { literalsAt, shorter }: LiteralAutomaton): Walk {
  const { setsOf, following, targets } = net
  const gates = createGates(net)
  /** By row: when nothing waited for what ends there. */
  const quiet = new Float64Array(shorter.length)
  /** False where something goes on waiting, because a word does not begin or end there. */
  const meetLiteral = (literal: number, text: string, at: number): boolean => {
    for (let index = setsOf.starts[literal] ?? 0; index < (setsOf.starts[literal + 1] ?? 0); index++) {
      const set = setsOf.items[index] ?? 0
      let passage = gates.waitingFor(set)
      if (passage < 0) continue
      if (!isEdged(net, literal, text, at)) return false
      gates.endWait(set)
      for (; passage >= 0; passage = following[passage] ?? -1) gates.open(targets[passage] ?? 0)
    }
    return true
  }
  return {
    found: gates.found,
    begin: gates.close,
    meet(row, text, at) {
      const before = gates.news()
      if (quiet[row] === before) return
      let isQuiet = true
      for (let end = row; end !== 0; end = shorter[end] ?? 0)
        for (let index = literalsAt.starts[end] ?? 0; index < (literalsAt.starts[end + 1] ?? 0); index++)
          if (!meetLiteral(literalsAt.items[index] ?? 0, text, at)) isQuiet = false
      if (isQuiet && gates.news() === before) quiet[row] = before
    },
  }
}

/** Which gates the present text has opened, and which passages from these wait for a literal. */
interface Gates {
  /** The expressions whose last gate is open. */
  readonly found: readonly number[]
  /** Closes all gates, for the next text. */
  close(): void
  open(gate: number): void
  /** The passage that waits for a set and has come last, or -1; the others follow it. */
  waitingFor(set: number): number
  /** Of the present text, none of those waits any more. */
  endWait(set: number): void
  /** Grows with each text and each passage that waits anew. */
  news(): number
}

function createGates({ first, following, setOf, passagesOf, freeOf, endOf }: CompiledNet): Gates {
  const found: number[] = []
  let news = 0
  /** Number of the present text; what is marked with another is of one before. */
  let number = 0
  const opened = new Float64Array(freeOf.starts.length)
  const begun = new Float64Array(first.length)
  /** By set that is begun, the last passage that waits for it. */
  const waiting = new Int32Array(first.length)
  const waitingFor = (set: number): number => (begun[set] === number ? waiting[set] : first[set]) ?? -1
  const setWaiting = (set: number, passage: number): void => {
    begun[set] = number
    waiting[set] = passage
  }
  const open = (gate: number): void => {
    if (opened[gate] === number) return
    opened[gate] = number
    for (let at = endOf.starts[gate] ?? 0; at < (endOf.starts[gate + 1] ?? 0); at++)
      found.push(endOf.items[at] ?? 0)
    for (let at = passagesOf.starts[gate] ?? 0; at < (passagesOf.starts[gate + 1] ?? 0); at++) {
      const passage = passagesOf.items[at] ?? 0
      const set = setOf[passage] ?? 0
      following[passage] = waitingFor(set)
      setWaiting(set, passage)
      news++
    }
    for (let at = freeOf.starts[gate] ?? 0; at < (freeOf.starts[gate + 1] ?? 0); at++)
      open(freeOf.items[at] ?? 0)
  }
  return {
    found,
    close() {
      number++
      news++
      found.length = 0
    },
    open,
    waitingFor,
    endWait: (set) => setWaiting(set, -1),
    news: () => news,
  }
}
