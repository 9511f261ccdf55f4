/** The steps of a nondeterministic automaton through a text that it may match anywhere: all of its ways at once. */
import { type Nfa, NODE } from './nfa.ts'

/** What stands before a place in a text. */
const BEFORE = { nothing: 0, other: 1, word: 2 } as const

/** The nodes that are reached, in order, but for those where a match may begin. */
export interface State {
  readonly nodes: readonly number[]
  readonly before: number
}

/** The beginning of a text. */
export const INITIAL: State = { nodes: [], before: BEFORE.nothing }

/** Where no match is begun. */
export const IDLE: State = { nodes: [], before: BEFORE.other }
export const IDLE_AFTER_WORD: State = { nodes: [], before: BEFORE.word }

export interface NfaSteps {
  /** Whether a match begins where the text does. */
  readonly isAnchored: boolean
  /** The state after a letter of a column, or after the end of the text, which is the column after the last; undefined for a match. */
  after(state: State, column: number): State | undefined
}

export function createSteps(nfa: Nfa): NfaSteps {
  const { width, isWord, entry, kinds } = nfa
  const ways = createWays(nfa)
  const asksForWords = kinds.includes(NODE.boundary)
  const isAnchored = !ways.leadsOn(entry)
  /** By what stands before, and column: where the beginnings of a match lead. */
  const begun = new Map<number, readonly number[] | undefined>()
  const beginnings = (before: number, column: number): readonly number[] | undefined => {
    const key = before * (width + 1) + column
    if (!begun.has(key)) begun.set(key, ways.follow([entry], before, column))
    return begun.get(key)
  }
  return {
    isAnchored,
    after({ nodes, before }, column) {
      const fresh = isAnchored && before !== BEFORE.nothing ? NONE : beginnings(before, column)
      const others = fresh && ways.follow(nodes, before, column)
      if (!fresh || !others) return undefined
      return {
        nodes: [...new Set([...fresh, ...others])].sort((one, other) => one - other),
        before: asksForWords && isWord[column] === 1 ? BEFORE.word : BEFORE.other,
      }
    },
  }
}

const NONE: readonly number[] = []

type NodeTables = Omit<Nfa, 'entry' | 'columns' | 'lengthMax'>

export interface Ways {
  /** The nodes after a letter, forks passed; undefined where a match is reached before it. */
  follow(nodes: readonly number[], before: number, column: number): readonly number[] | undefined
  /** The nodes that nodes lead to without a letter, whatever its neighbours; and whether a match is, or the end of a text, among these. */
  reached(nodes: readonly number[]): { readonly nodes: readonly number[]; readonly mayEnd: boolean }
  /** The nodes after a letter of a column, or after any. */
  read(nodes: readonly number[], column?: number): readonly number[]
  /** The columns of the letters that nodes read. */
  columnsOf(nodes: readonly number[]): readonly number[]
  /** Whether a node leads to a letter or a match elsewhere than at the beginning of a text. */
  leadsOn(node: number): boolean
}

export function createWays({ kinds, next, other, width, isWord, holds }: NodeTables): Ways {
  const seen = new Int32Array(kinds.length)
  let number = 0
  /** Nodes that read or look at something, from `nodes` by forks. */
  const forksPassed = (nodes: readonly number[], passes: (node: number) => boolean): number[] => {
    number++
    const reached: number[] = []
    const waiting = [...nodes]
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (seen[node] === number) continue
      seen[node] = number
      const kind = kinds[node] ?? NODE.match
      if (kind === NODE.fork) waiting.push(other[node] ?? 0, next[node] ?? 0)
      else if (kind !== NODE.letter && kind !== NODE.match && passes(node)) waiting.push(next[node] ?? 0)
      else reached.push(node)
    }
    return reached
  }
  const isMatch = (node: number): boolean => kinds[node] === NODE.match
  const passesAt =
    (before: number, column: number) =>
    (node: number): boolean => {
      if (kinds[node] === NODE.start) return before === BEFORE.nothing
      if (kinds[node] === NODE.end) return column === width
      return (before === BEFORE.word) !== (isWord[column] === 1)
    }
  const reads = (node: number, column: number): boolean =>
    column < width && kinds[node] === NODE.letter && holds[(other[node] ?? 0) * width + column] === 1
  return {
    follow(nodes, before, column) {
      const reached = forksPassed(nodes, passesAt(before, column))
      if (reached.some(isMatch)) return undefined
      return forksPassed(
        reached.filter((node) => reads(node, column)).map((node) => next[node] ?? 0),
        () => false,
      )
    },
    reached(nodes) {
      const reached = forksPassed(nodes, (node) => kinds[node] === NODE.boundary)
      return {
        nodes: reached,
        mayEnd: reached.some((node) => isMatch(node) || kinds[node] === NODE.end),
      }
    },
    read: (nodes, column) =>
      nodes
        .filter((node) => (column === undefined ? kinds[node] === NODE.letter : reads(node, column)))
        .map((node) => next[node] ?? 0),
    columnsOf(nodes) {
      const sets = new Set(
        nodes.filter((node) => kinds[node] === NODE.letter).map((node) => other[node] ?? 0),
      )
      const columns: number[] = []
      for (let column = 0; column < width; column++)
        for (const set of sets)
          if (holds[set * width + column] === 1) {
            columns.push(column)
            break
          }
      return columns
    },
    leadsOn: (node) =>
      forksPassed([node], (each) => kinds[each] !== NODE.start).some(
        (each) => isMatch(each) || kinds[each] === NODE.letter,
      ),
  }
}
