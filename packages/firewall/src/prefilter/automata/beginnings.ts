/**
 * How matches of automata begin: the pairs of letters that a match may begin with, and the pairs that may follow after its first
 * letter. By these one pass over a text finds for many automata where it is worth running them.
 */
import { NOT_ASCII } from '../expressions/expression.ts'
import { classesBy, type Nfa } from './nfa.ts'
import { createWays, type Ways } from './nfa-steps.ts'

/** Where ordinary text holds such a beginning more often, the automaton runs through as fast. */
const FREQUENCY_MAX = 0.03

/** For many automata by their numbers, tables with a bit for each. Letters that none of them tells apart are one class. */
export interface Beginnings {
  /** By code, NOT_ASCII the last, its class. */
  readonly classOf: Uint8Array
  /** How many classes there are, with those of the second unit of a letter and of the end of the text, which are the last two. */
  readonly classes: number
  /** Words of 32 bits for a pair. */
  readonly words: number
  /** By pair of classes: with which a match may begin, but for one at the beginning of the text. */
  readonly firstPairs: Int32Array
  /** By pair of classes: with which it may go on after its first letter. */
  readonly secondPairs: Int32Array
  /** By automaton, whether its matches are looked for in this way; those of others begin in too many. */
  readonly isSearched: Uint8Array
}

/** Compiles the tables of automata. */
export function compileBeginnings(automata: ReadonlyMap<number, Nfa>): Beginnings {
  const numbers = [...automata.keys()]
  const count = numbers.reduce((most, number) => Math.max(most, number + 1), 0)
  const all = [...automata.values()]
  const { classOf, examples } = classesBy((code) => all.map(({ columns }) => columns[code]).join())
  const classes = examples.length + 2
  const words = Math.ceil(count / 32)
  const beginnings = {
    classOf,
    classes,
    words,
    firstPairs: new Int32Array(classes * classes * words),
    secondPairs: new Int32Array(classes * classes * words),
    isSearched: new Uint8Array(count),
  }
  const anyClass = Array.from({ length: classes }, (_, index) => index)
  for (const [number, nfa] of automata) {
    const groups = groupsOf(nfa)
    if (groups.length === 0 || frequencyOfAll(nfa, groups) > FREQUENCY_MAX) continue
    beginnings.isSearched[number] = 1
    for (const group of groups) {
      const [first = [], second = anyClass, third = anyClass] = certain(nfa, group).map((columns) =>
        anyClass.filter(
          (each) => each < examples.length && columns.includes(nfa.columns[examples[each] ?? 0] ?? 0),
        ),
      )
      mark(beginnings, beginnings.firstPairs, number, first, second)
      mark(beginnings, beginnings.secondPairs, number, second, third)
    }
  }
  return beginnings
}

function mark(
  { classes, words }: Pick<Beginnings, 'classes' | 'words'>,
  pairs: Int32Array,
  number: number,
  ones: readonly number[],
  others: readonly number[],
): void {
  const word = number >>> 5
  const bit = 1 << (number & 31)
  for (const one of ones)
    for (const other of others) {
      const at = (one * classes + other) * words + word
      pairs[at] = (pairs[at] ?? 0) | bit
    }
}

/** The letters of a beginning up to one that may not be ASCII, which may be two units. */
function certain({ columns }: Nfa, group: Beginning): Beginning {
  const other = columns[NOT_ASCII] ?? 0
  const unsure = group.findIndex((each) => each.includes(other))
  return unsure < 0 ? group : group.slice(0, unsure + 1)
}

/** Roughly, how often one of the beginnings stands at a place of ordinary text. */
function frequencyOfAll(nfa: Nfa, groups: readonly Beginning[]): number {
  const letters = lettersByColumn(nfa)
  return groups.reduce((sum, group) => {
    const classes = group.map((columns) => columns.flatMap((column) => letters[column] ?? []))
    return sum + classes.reduce((product, codes) => product * frequencyOf(codes), 1)
  }, 0)
}

/** The columns of a letter and of up to two that follow it. */
type Beginning = readonly (readonly number[])[]

/** The beginnings, put together where the same letters follow; none where a match may be empty. */
function groupsOf(nfa: Nfa): Beginning[] {
  const ways = createWays(nfa)
  const first = ways.reached([nfa.entry])
  if (first.mayEnd) return []
  const groups = new Map<string, { readonly first: number[]; readonly rest: Beginning }>()
  for (const column of ways.columnsOf(first.nodes)) {
    const rest = following(ways, ways.read(first.nodes, column))
    const key = rest.join(' ')
    const group = groups.get(key) ?? { first: [], rest }
    groups.set(key, group)
    group.first.push(column)
  }
  return Array.from(groups.values(), (group) => [group.first, ...group.rest])
}

/** The columns of the next two letters, as far as a match needs them. */
function following(ways: Ways, nodes: readonly number[]): Beginning {
  const second = ways.reached(nodes)
  if (second.mayEnd) return []
  const third = ways.reached(ways.read(second.nodes))
  const columns = ways.columnsOf(second.nodes)
  return third.mayEnd ? [columns] : [columns, ways.columnsOf(third.nodes)]
}

/** By column, the codes of its letters. */
function lettersByColumn({ columns, width }: Pick<Nfa, 'columns' | 'width'>): readonly (readonly number[])[] {
  const letters: number[][] = Array.from({ length: width }, () => [])
  for (const [code, column] of columns.entries()) letters[column]?.push(code)
  return letters
}

/** Roughly, how often one of the letters stands at a place of ordinary text. */
const frequencyOf = (codes: readonly number[]): number =>
  Math.min(
    1,
    codes.reduce((sum, code) => sum + letterFrequency(code), 0),
  )

function letterFrequency(code: number): number {
  if (code === NOT_ASCII) return 0.05
  const letter = String.fromCharCode(code)
  if (letter === ' ') return 0.15
  if (/[a-z]/.test(letter)) return COMMON.includes(letter) ? 0.06 : 0.015
  return /[-.,0-9]/.test(letter) ? 0.01 : 0.003
}

const COMMON = 'etaoinshr'
