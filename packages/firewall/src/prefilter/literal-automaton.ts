/**
 * One automaton for all literals (Aho and Corasick, 1975): reads a text once, a table look-up a letter, and stops where a
 * literal ends. Letters have no case; those that are not ASCII, and those in no literal, are one and the same.
 */
import { NOT_ASCII } from './expressions/expression.ts'
import type { Literal } from './expressions/literals.ts'
import { LETTER_CODES } from './letters.ts'
import { type PackedLists, packLists } from './packed-lists.ts'

/** The automaton as tables, for a loop that allocates nothing. */
export interface LiteralAutomaton {
  /** By code of an ASCII letter, its column. */
  readonly columns: Uint8Array
  /** Columns of a row. */
  readonly width: number
  /** By row and column, the next row. */
  readonly next: Uint16Array | Int32Array
  /** The first of the rows at which literals end, their own or those of shorter ones; at none before it any does. */
  readonly firstEnding: number
  /** By row, the nearest row at which literals end, itself included; 0 where there is none. */
  readonly ends: Int32Array
  /** By row, the next of these that is shorter. */
  readonly shorter: Int32Array
  /** By row, the literals that end there, by their index. */
  readonly literalsAt: PackedLists
}

/** The maintained rules and ours have half as many. */
const ROWS_OF_16_BITS = 2 ** 16

/** Makes the automaton of literals that are not empty. */
export function createLiteralAutomaton(literals: readonly Literal[]): LiteralAutomaton {
  const { columns, width } = columnsOf(literals)
  const { rows, child, sibling, column, literalsAt } = trieOf(literals, columns)
  const next = rows <= ROWS_OF_16_BITS ? new Uint16Array(rows * width) : new Int32Array(rows * width)
  const ends = new Int32Array(rows)
  const shorter = new Int32Array(rows)
  const fallback = new Int32Array(rows)
  const queue = new Int32Array(rows)
  let queued = 1
  // Breadth first, so that what a row falls back to is complete before it.
  for (const row of queue) {
    const back = fallback[row] ?? 0
    const hasLiterals = literalsAt.starts[row] !== literalsAt.starts[row + 1]
    shorter[row] = ends[back] ?? 0
    ends[row] = hasLiterals ? row : (ends[back] ?? 0)
    if (row !== 0) next.copyWithin(row * width, back * width, (back + 1) * width)
    for (let below = child[row] ?? 0; below !== 0; below = sibling[below] ?? 0) {
      const at = column[below] ?? 0
      fallback[below] = row === 0 ? 0 : (next[back * width + at] ?? 0)
      next[row * width + at] = below
      queue[queued++] = below
    }
  }
  return inOrder([...queue], { columns, width, next, ends, shorter, literalsAt })
}

/**
 * The same with its rows in another order: those at which literals end behind all others, and of both first those that a few letters
 * lead to. In these most texts are most of the time, so that they should lie in few pages of memory.
 * @param rows by how many letters lead to them
 */
function inOrder(
  rows: readonly number[],
  { columns, width, next, ends, shorter, literalsAt }: Omit<LiteralAutomaton, 'firstEnding'>,
): LiteralAutomaton {
  const order = [...rows.filter((row) => ends[row] === 0), ...rows.filter((row) => ends[row] !== 0)]
  const placeOf = new Int32Array(rows.length)
  for (const [place, row] of order.entries()) placeOf[row] = place
  const moved = next.map((_, at) => {
    const row = order[Math.floor(at / width)] ?? 0
    return placeOf[next[row * width + (at % width)] ?? 0] ?? 0
  })
  const literalsOf = (row: number) => [
    ...literalsAt.items.subarray(literalsAt.starts[row], literalsAt.starts[row + 1]),
  ]
  return {
    columns,
    width,
    next: moved,
    firstEnding: rows.length - ends.reduce((sum, end) => (end === 0 ? sum : sum + 1), 0),
    ends: Int32Array.from(order, (row) => placeOf[ends[row] ?? 0] ?? 0),
    shorter: Int32Array.from(order, (row) => placeOf[shorter[row] ?? 0] ?? 0),
    literalsAt: packLists(order.map(literalsOf)),
  }
}

/** The columns by the codes in which texts are read. */
export function columnsByCode({ columns }: LiteralAutomaton): Uint8Array {
  const byCode = new Uint8Array(LETTER_CODES)
  byCode.set(columns)
  return byCode
}

/** A column for each letter that literals are made of, without case; the first is for all others. */
function columnsOf(literals: readonly Literal[]): { columns: Uint8Array; width: number } {
  const columns = new Uint8Array(NOT_ASCII)
  let width = 1
  for (const { text } of literals)
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (columns[code] === 0) columns[code] = width++
    }
  for (let code = 0x41; code <= 0x5a; code++) columns[code] = columns[code + 32] ?? 0
  return { columns, width }
}

/** The literals as a tree of rows, letter by letter; row 0 is where all begin, and no other leads to it. */
interface Trie {
  readonly rows: number
  /** By row, the first of those that follow it by a letter. */
  readonly child: Int32Array
  /** By row, the next one that follows the same row. */
  readonly sibling: Int32Array
  /** By row, the letter that leads to it. */
  readonly column: Uint8Array
  readonly literalsAt: PackedLists
}

function trieOf(literals: readonly Literal[], columns: Uint8Array): Trie {
  const rowsMax = literals.reduce((sum, { text }) => sum + text.length, 1)
  const child = new Int32Array(rowsMax)
  const sibling = new Int32Array(rowsMax)
  const column = new Uint8Array(rowsMax)
  let rows = 1
  const lastRows = literals.map(({ text }) => {
    let row = 0
    for (let at = 0; at < text.length; at++) {
      const letter = columns[text.charCodeAt(at)] ?? 0
      let below = child[row] ?? 0
      while (below !== 0 && column[below] !== letter) below = sibling[below] ?? 0
      if (below === 0) {
        below = rows++
        column[below] = letter
        sibling[below] = child[row] ?? 0
        child[row] = below
      }
      row = below
    }
    return row
  })
  const literalsAt: number[][] = Array.from({ length: rows }, () => [])
  for (const [literal, row] of lastRows.entries()) literalsAt[row]?.push(literal)
  return { rows, child, sibling, column, literalsAt: packLists(literalsAt) }
}
