/** The net of what expressions ask for, as tables: its literals, sets and passages by number. */
import { ENDS_WORD, edgesOf, type Literal, literalKey, STARTS_WORD } from './expressions/literals.ts'
import { type Passage, type Requirements, START } from './expressions/requirements.ts'
import { type PackedLists, packLists } from './packed-lists.ts'

export interface CompiledNet {
  /** By literal: what it asks of its neighbours, its length, and the sets that hold it. */
  readonly edges: Uint8Array
  readonly lengths: Uint16Array
  readonly setsOf: PackedLists
  /** By set, the first of the passages that wait for it in every text; -1 where none does. */
  readonly first: Int32Array
  /** By passage: which waits for the same set after it (the walk goes on writing it), the set, and where it leads. */
  readonly following: Int32Array
  readonly setOf: Int32Array
  readonly targets: Int32Array
  /** By gate: what it opens freely, the passages from it, and the expressions that end there. */
  readonly freeOf: PackedLists
  readonly passagesOf: PackedLists
  readonly endOf: PackedLists
  /** Expressions that ask for no literal. */
  readonly always: Int32Array
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

/** @param ends by expression, the gate where it ends */
export function compileNet(
  { gates, passages, free }: Requirements,
  ends: readonly number[],
  numbers: LiteralNumbers,
): CompiledNet {
  const perGate = (): number[][] => Array.from({ length: gates }, () => [])
  const [freeOf, passagesOf, endOf] = [perGate(), perGate(), perGate()]
  for (const { from, to } of free) freeOf[from]?.push(to)
  for (const [expression, gate] of ends.entries()) endOf[gate]?.push(expression)
  const open = openAtOnce(freeOf)
  const { sets, setOf } = numberedSets(passages, numbers)
  const first = new Int32Array(sets.length).fill(-1)
  const following = new Int32Array(passages.length).fill(-1)
  for (const [index, { from }] of passages.entries()) {
    const set = setOf[index] ?? 0
    if (!open.has(from)) passagesOf[from]?.push(index)
    else {
      following[index] = first[set] ?? -1
      first[set] = index
    }
  }
  const setsOf: number[][] = numbers.literals.map(() => [])
  for (const [set, members] of sets.entries()) for (const literal of members) setsOf[literal]?.push(set)
  return {
    edges: Uint8Array.from(numbers.literals, edgesOf),
    lengths: Uint16Array.from(numbers.literals, ({ text }) => text.length),
    setsOf: packLists(setsOf),
    first,
    following,
    setOf: Int32Array.from(setOf),
    targets: Int32Array.from(passages, ({ to }) => to),
    freeOf: packLists(freeOf),
    passagesOf: packLists(passagesOf),
    endOf: packLists(endOf),
    always: Int32Array.from([...open].flatMap((gate) => endOf[gate] ?? [])),
  }
}

/** Gates that are open whatever the text. */
function openAtOnce(freeOf: readonly (readonly number[])[]): ReadonlySet<number> {
  const open = new Set([START])
  for (const gate of open) for (const other of freeOf[gate] ?? []) open.add(other)
  return open
}

/** Gives each set of literals a number: by number its members, and by passage its number. */
function numberedSets(passages: readonly Passage[], { numberOf }: LiteralNumbers) {
  const sets: (readonly number[])[] = []
  const numbers = new Map<string, number>()
  const setOf = passages.map(({ literals }) => {
    const members = [...new Set(literals.map(numberOf))].sort((one, other) => one - other)
    const key = members.join()
    const known = numbers.get(key) ?? sets.length
    if (known === sets.length) {
      numbers.set(key, known)
      sets.push(members)
    }
    return known
  })
  return { sets, setOf }
}

const WORD = Uint8Array.from({ length: 128 }, (_, code) => (/\w/.test(String.fromCharCode(code)) ? 1 : 0))
const isWordAt = (text: string, at: number): boolean => WORD[text.charCodeAt(at)] === 1

/** Whether a literal that ends at `at` begins and ends words where it must. */
export function isEdged({ edges, lengths }: CompiledNet, literal: number, text: string, at: number): boolean {
  const edge = edges[literal] ?? 0
  if ((edge & ENDS_WORD) !== 0 && isWordAt(text, at + 1)) return false
  return (edge & STARTS_WORD) === 0 || !isWordAt(text, at - (lengths[literal] ?? 0))
}
