/**
 * Makes the automaton of an expression. It accepts at least the texts in which the expression matches: repetitions are counted up
 * to `COPIES_MAX`, and what the tree does not say (the case of letters, which letter that is not ASCII) it does not ask.
 */
import { type Expression, NOT_ASCII } from '../expressions/expression.ts'
import { classesBy, type Nfa, NODE } from './nfa.ts'

/** Up to so many times a repetition is counted; more often is any number of times. */
const COPIES_MAX = 8
const NODES_MAX = 20_000

/** The nodes that are made so far. */
interface Nodes {
  readonly kinds: number[]
  readonly next: number[]
  readonly other: number[]
  /** By letters, the number of their set; the same letters have one number. */
  readonly sets: Map<string, { readonly index: number; readonly codes: ReadonlySet<number> }>
  readonly setKeys: Map<ReadonlySet<number>, string>
}

/** Makes the automaton of an expression; undefined where it would be too large. */
export function compileNfa(expression: Expression): Nfa | undefined {
  const nodes: Nodes = { kinds: [], next: [], other: [], sets: new Map(), setKeys: new Map() }
  const entry = build(nodes, expression, add(nodes, NODE.match, 0, 0))
  if (nodes.kinds.length > NODES_MAX) return undefined
  return {
    kinds: Uint8Array.from(nodes.kinds),
    next: Int32Array.from(nodes.next),
    other: Int32Array.from(nodes.other),
    entry,
    ...columnsOf(nodes),
    lengthMax: Math.min(wholeLengthMax(expression), Number.MAX_SAFE_INTEGER),
  }
}

function add({ kinds, next, other }: Nodes, kind: number, to: number, second: number): number {
  next.push(to)
  other.push(second)
  return kinds.push(kind) - 1
}

/** Adds what an expression reads before `then`; returns where it begins. */
function build(nodes: Nodes, expression: Expression, then: number): number {
  if (nodes.kinds.length > NODES_MAX) return then
  switch (expression.kind) {
    case 'letter':
      return add(nodes, NODE.letter, then, setOf(nodes, expression.codes))
    case 'start':
    case 'end':
    case 'boundary':
      return add(nodes, NODE[expression.kind], then, 0)
    case 'sequence':
      return expression.parts.reduceRight((to, part) => build(nodes, part, to), then)
    case 'choice':
      return expression.options
        .map((option) => build(nodes, option, then))
        .reduceRight((to, option) => add(nodes, NODE.fork, option, to))
    case 'repeat':
      return buildRepeat(nodes, expression, then)
  }
}

function buildRepeat(nodes: Nodes, { of, min, max }: Expression & { kind: 'repeat' }, then: number): number {
  const certain = Math.min(min, COPIES_MAX)
  let to = then
  if (max > COPIES_MAX) {
    const loop = add(nodes, NODE.fork, 0, then)
    nodes.next[loop] = build(nodes, of, loop)
    to = loop
  } else
    for (let count = certain; count < max; count++) to = add(nodes, NODE.fork, build(nodes, of, to), then)
  for (let count = 0; count < certain; count++) to = build(nodes, of, to)
  return to
}

function setOf({ sets, setKeys }: Nodes, codes: ReadonlySet<number>): number {
  const key = setKeys.get(codes) ?? [...codes].sort((one, other) => one - other).join()
  setKeys.set(codes, key)
  const known = sets.get(key)
  if (known) return known.index
  sets.set(key, { index: sets.size, codes })
  return sets.size - 1
}

/** Puts letters together that are in the same sets; words have columns of their own where their edges are asked for. */
function columnsOf({ kinds, sets }: Nodes): Pick<Nfa, 'columns' | 'width' | 'isWord' | 'holds'> {
  const asksForWords = kinds.includes(NODE.boundary)
  const all = Array.from(sets.values(), ({ codes }) => codes)
  const { classOf, examples } = classesBy((code) =>
    all.reduce(
      (bits, codes) => bits + (codes.has(fold(code)) ? '1' : '0'),
      asksForWords && isWordCode(code) ? 'w' : '',
    ),
  )
  return {
    columns: classOf,
    width: examples.length,
    isWord: Uint8Array.from(examples, (code) => (isWordCode(code) ? 1 : 0)),
    holds: Uint8Array.from(all.flatMap((codes) => examples.map((code) => (codes.has(fold(code)) ? 1 : 0)))),
  }
}

const fold = (code: number): number => (code >= 0x41 && code <= 0x5a ? code + 32 : code)
const isWordCode = (code: number): boolean => code < NOT_ASCII && /\w/.test(String.fromCharCode(code))

/** How many letters a text has at most that an expression matches from its beginning to its end; infinity where it need not. */
function wholeLengthMax(expression: Expression): number {
  if (expression.kind === 'choice') return Math.max(...expression.options.map(wholeLengthMax))
  if (expression.kind !== 'sequence') return Number.POSITIVE_INFINITY
  const { parts } = expression
  const isWhole = parts[0]?.kind === 'start' && parts.at(-1)?.kind === 'end'
  return isWhole ? lengthMax(expression) : Number.POSITIVE_INFINITY
}

function lengthMax(expression: Expression): number {
  switch (expression.kind) {
    case 'letter':
      return 1
    case 'start':
    case 'end':
    case 'boundary':
      return 0
    case 'sequence':
      return expression.parts.reduce((sum, part) => sum + lengthMax(part), 0)
    case 'choice':
      return Math.max(...expression.options.map(lengthMax))
    case 'repeat':
      return expression.max === 0 ? 0 : lengthMax(expression.of) * expression.max || 0
  }
}
