/**
 * How matches of an automaton begin: an expression of three letters at most, by which a text is searched for the places where it
 * is worth running. It has no repetition, so that the search is linear.
 */
import { NOT_ASCII } from '../expressions/expression.ts'
import type { Nfa } from './nfa.ts'
import { createWays, type Ways } from './nfa-steps.ts'

/** Where ordinary text holds such a beginning more often, the automaton runs as fast. */
const FREQUENCY_MAX = 0.03

/** The source of the expression; empty where matches begin in too many ways. A match at the beginning of a text need not begin so. */
export function beginningsOf(nfa: Omit<Nfa, 'beginnings'>): string {
  const groups = groupsOf(nfa)
  const letters = lettersByColumn(nfa)
  let frequency = 0
  const options = groups.map((columns) => {
    const classes = columns.map((each) => each.flatMap((column) => letters[column] ?? []))
    frequency += classes.reduce((product, codes) => product * frequencyOf(codes), 1)
    return optionOf(classes)
  })
  return frequency > FREQUENCY_MAX ? '' : options.join('|')
}

/** The columns of a letter and of up to two that follow it. */
type Beginning = readonly (readonly number[])[]

/** The beginnings, put together where the same letters follow; none where a match may be empty. */
function groupsOf(nfa: Omit<Nfa, 'beginnings'>): Beginning[] {
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

/** As source: the first letter of the classes, which others follow. */
function optionOf(classes: readonly (readonly number[])[]): string {
  // A letter that is not ASCII may be two units.
  const unsure = classes.findIndex((codes) => codes.includes(NOT_ASCII))
  const [one = '', ...others] = classes.slice(0, unsure < 0 ? classes.length : unsure + 1).map(letterClass)
  return others.length === 0 ? one : `${one}(?=${others.join('')})`
}

/** By column, the codes of its letters. */
function lettersByColumn({ columns, width }: Pick<Nfa, 'columns' | 'width'>): readonly (readonly number[])[] {
  const letters: number[][] = Array.from({ length: width }, () => [])
  for (const [code, column] of columns.entries()) letters[column]?.push(code)
  return letters
}

const hex = (code: number): string => `\\x${code.toString(16).padStart(2, '0')}`

const letterClass = (codes: readonly number[]): string =>
  `[${codes.map((code) => (code === NOT_ASCII ? '\\x80-\\uffff' : hex(code))).join('')}]`

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
