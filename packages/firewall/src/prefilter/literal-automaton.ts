/**
 * One automaton for all literals (Aho and Corasick, 1975): reads a text once, a table look-up a letter, and stops where a
 * literal ends. Letters have no case; those that are not ASCII, and those in no literal, are one and the same.
 */
import { NOT_ASCII } from './expression.ts'
import type { Literal } from './literals.ts'
import { type PackedLists, packLists } from './packed-lists.ts'

/** The automaton as tables, for a loop that allocates nothing. */
export interface LiteralAutomaton {
  /** By code of an ASCII letter, its column. */
  readonly columns: Uint8Array
  /** Columns of a row. */
  readonly width: number
  /** By row and column, the next row. */
  readonly next: Int32Array
  /** By row, the nearest row at which literals end, itself included; 0 where there is none. */
  readonly ends: Int32Array
  /** By row, the next of these that is shorter. */
  readonly shorter: Int32Array
  /** By row, the literals that end there, by their index. */
  readonly literalsAt: PackedLists
}

interface TrieNode {
  readonly row: number
  readonly children: Map<number, TrieNode>
  readonly literals: number[]
}

/** Makes the automaton of literals that are not empty. */
export function createLiteralAutomaton(literals: readonly Literal[]): LiteralAutomaton {
  const { columns, width } = columnsOf(literals)
  const nodes = trieOf(literals, columns)
  const next = new Int32Array(nodes.length * width)
  const ends = new Int32Array(nodes.length)
  const shorter = new Int32Array(nodes.length)
  const fallback = new Int32Array(nodes.length)
  const [root] = nodes
  const queue: TrieNode[] = root ? [root] : []
  // Breadth first, so that what a row falls back to is complete before it.
  for (const node of queue) {
    const { row } = node
    const back = fallback[row] ?? 0
    shorter[row] = ends[back] ?? 0
    ends[row] = node.literals.length > 0 ? row : (ends[back] ?? 0)
    if (row !== 0) next.copyWithin(row * width, back * width, (back + 1) * width)
    for (const [column, child] of node.children) {
      fallback[child.row] = row === 0 ? 0 : (next[back * width + column] ?? 0)
      next[row * width + column] = child.row
      queue.push(child)
    }
  }
  return { columns, width, next, ends, shorter, literalsAt: packLists(nodes.map((node) => node.literals)) }
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

function trieOf(literals: readonly Literal[], columns: Uint8Array): TrieNode[] {
  const nodes: TrieNode[] = []
  const grow = (): TrieNode => {
    const node = { row: nodes.length, children: new Map<number, TrieNode>(), literals: [] }
    nodes.push(node)
    return node
  }
  const root = grow()
  for (const [index, { text }] of literals.entries()) {
    let node = root
    for (let at = 0; at < text.length; at++) {
      const column = columns[text.charCodeAt(at)] ?? 0
      let child = node.children.get(column)
      if (!child) {
        child = grow()
        node.children.set(column, child)
      }
      node = child
    }
    node.literals.push(index)
  }
  return nodes
}
