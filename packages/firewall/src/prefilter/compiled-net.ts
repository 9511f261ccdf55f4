/** The net of what expressions ask for, as tables: its literals, sets and ways by number. */
import { NOT_ASCII } from './expressions/expression.ts'
import { ENDS_WORD, edgesOf, type Literal, literalKey, STARTS_WORD } from './expressions/literals.ts'
import { type Requirements, START } from './expressions/requirements.ts'
import { LETTER_CODES } from './letters.ts'
import { type PackedLists, packLists } from './packed-lists.ts'

export interface CompiledNet {
  /** By literal: what it asks of its neighbours, its length, and the expressions that are looked into where a text holds it. */
  readonly edges: Uint8Array
  readonly lengths: Uint16Array
  readonly triggered: PackedLists
  /** By literal, the sets that it is one of, and how many sets there are. */
  readonly memberOf: PackedLists
  readonly sets: number
  /** By expression, the first of its ways; those that lead to a gate come before those that lead away from it. */
  readonly waysFrom: Int32Array
  /** By way: from which gate to which, and the set of literals that it asks for; -1 where it asks for none. */
  readonly from: Int32Array
  readonly to: Int32Array
  readonly setOf: Int32Array
  /** By expression, its end, which is the first of its own gates; the next one's follow. */
  readonly ends: Int32Array
}

/** Literals by number; the same literal has one number. */
export interface LiteralNumbers {
  readonly literals: readonly Literal[]
  /** The number of a literal, which it is given where it has none. */
  numberOf(literal: Literal): number
}

export function createLiteralNumbers(): LiteralNumbers {
  const numbers = new Map<string, number>()
  const literals: Literal[] = []
  return {
    literals,
    numberOf(literal) {
      const key = literalKey(literal)
      const known = numbers.get(key)
      if (known !== undefined) return known
      numbers.set(key, literals.length)
      return literals.push(literal) - 1
    },
  }
}

/** A way from one gate to another, by a set of literals or freely. */
interface Way {
  readonly from: number
  readonly to: number
  readonly set: number
}

const FREELY = -1

/**
 * @param ends by expression, its last gate, which was made before its others; none where it is not asked for
 * @param rarest by expression, the literals of which every text holds one that it matches
 */
export function compileNet(
  net: Requirements,
  ends: readonly (number | undefined)[],
  rarest: readonly (readonly number[] | undefined)[],
  numbers: LiteralNumbers,
): CompiledNet {
  const sets = createSets()
  const passages = Map.groupBy(net.passages, ({ from, to }) => `${from} ${to}`).values()
  const all = shortened([
    // What leads from one gate to the same other one is one way.
    ...Array.from(passages, (same) => ({
      from: same[0]?.from ?? 0,
      to: same[0]?.to ?? 0,
      set: sets.numberOf(same.flatMap(({ literals }) => literals.map(numbers.numberOf))),
    })),
    ...net.free.map(({ from, to }) => ({ from, to, set: FREELY })),
  ])
  const ranks = ranksOf(net.gates, all)
  const owners = ownersOf(net.gates, ends)
  const ways: Way[][] = ends.map(() => [])
  for (const way of all.sort((one, other) => (ranks[one.from] ?? 0) - (ranks[other.from] ?? 0)))
    ways[owners[way.to] ?? 0]?.push(way)
  const ordered = ways.flat()
  const triggered: number[][] = numbers.literals.map(() => [])
  for (const [expression, literals] of rarest.entries())
    for (const literal of literals ?? []) triggered[literal]?.push(expression)
  return {
    edges: Uint8Array.from(numbers.literals, edgesOf),
    lengths: Uint16Array.from(numbers.literals, ({ text }) => text.length),
    triggered: packLists(triggered),
    memberOf: packLists(memberships(sets.members, numbers.literals.length)),
    sets: sets.members.length,
    waysFrom: packLists(ways.map((own) => own.map(() => 0))).starts,
    from: Int32Array.from(ordered, ({ from }) => from),
    to: Int32Array.from(ordered, ({ to }) => to),
    setOf: Int32Array.from(ordered, ({ set }) => set),
    ends: Int32Array.from([...endsInOrder(ends, net.gates), net.gates]),
  }
}

/** Without the gates that only one free way leads to: what leads on from these begins before that. */
function shortened(ways: readonly Way[]): Way[] {
  const coming = Map.groupBy(ways, ({ to }) => to)
  const leading = new Set(ways.map(({ from }) => from))
  const before = new Map<number, number>()
  for (const [gate, [first, second]] of coming)
    if (first?.set === FREELY && second === undefined && leading.has(gate)) before.set(gate, first.from)
  const begin = (gate: number): number => {
    let at = gate
    for (let other = before.get(at); other !== undefined; other = before.get(at)) at = other
    return at
  }
  return ways.flatMap(({ from, to, set }) => (before.has(to) ? [] : [{ from: begin(from), to, set }]))
}

/** Where an expression is not asked for, the end of the next one, so that it has no gates. */
function endsInOrder(ends: readonly (number | undefined)[], gates: number): number[] {
  const inOrder: number[] = []
  let next = gates
  for (const end of ends.toReversed()) {
    next = end ?? next
    inOrder.push(next)
  }
  return inOrder.reverse()
}

/** By gate, the expression that it is of: that which ends at the nearest gate before it. */
function ownersOf(gates: number, ends: readonly (number | undefined)[]): Int32Array {
  const owners = new Int32Array(gates)
  for (const [expression, end] of ends.entries()) if (end !== undefined) owners.fill(expression, end)
  return owners
}

/** By gate, the length of the longest way to it: no way leads to a gate of the same rank or a lower one. */
function ranksOf(gates: number, ways: readonly Way[]): Int32Array {
  const leading: Way[][] = Array.from({ length: gates }, () => [])
  const coming = new Int32Array(gates)
  for (const way of ways) {
    leading[way.from]?.push(way)
    coming[way.to] = (coming[way.to] ?? 0) + 1
  }
  const ranks = new Int32Array(gates)
  const waiting = [START]
  for (const gate of waiting)
    for (const { to } of leading[gate] ?? []) {
      ranks[to] = Math.max(ranks[to] ?? 0, (ranks[gate] ?? 0) + 1)
      coming[to] = (coming[to] ?? 0) - 1
      if (coming[to] === 0) waiting.push(to)
    }
  return ranks
}

/** By literal, the sets that it is one of. */
function memberships(sets: readonly (readonly number[])[], literals: number): number[][] {
  const memberOf: number[][] = Array.from({ length: literals }, () => [])
  for (const [set, members] of sets.entries()) for (const literal of members) memberOf[literal]?.push(set)
  return memberOf
}

/** Gives each set of literals a number. */
function createSets() {
  const members: (readonly number[])[] = []
  const numbers = new Map<string, number>()
  return {
    members,
    numberOf(literals: readonly number[]): number {
      const own = [...new Set(literals)].sort((one, other) => one - other)
      const key = own.join()
      const known = numbers.get(key)
      if (known !== undefined) return known
      numbers.set(key, members.length)
      return members.push(own) - 1
    },
  }
}

const WORD = Uint8Array.from({ length: LETTER_CODES }, (_, code) =>
  code < NOT_ASCII && /\w/.test(String.fromCharCode(code)) ? 1 : 0,
)
const isWordAt = (codes: Uint8Array, at: number): boolean => at >= 0 && WORD[codes[at] ?? 0] === 1

/** Whether a literal that ends at `at` begins and ends words where it must. */
export function isEdged(
  { edges, lengths }: CompiledNet,
  literal: number,
  codes: Uint8Array,
  at: number,
): boolean {
  const edge = edges[literal] ?? 0
  if (edge === 0) return true
  if ((edge & ENDS_WORD) !== 0 && isWordAt(codes, at + 1)) return false
  return (edge & STARTS_WORD) === 0 || !isWordAt(codes, at - (lengths[literal] ?? 0))
}
