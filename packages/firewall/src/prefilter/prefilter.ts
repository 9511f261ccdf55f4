/**
 * Judges a text by what cannot match in it: one pass finds the literals of all expressions, opens the gates that they
 * lead through, and names the expressions whose last gate is open. Of all others it is certain that they do not match.
 *
 * The cost is the length of the text, and once a text what hangs on a gate that opens: whatever is written, each passage
 * is gone through at most once.
 */
import { type Expression, NOT_ASCII } from './expression.ts'
import { createLiteralAutomaton, type LiteralAutomaton } from './literal-automaton.ts'
import type { Literal, LiteralSet } from './literals.ts'
import { type PackedLists, packLists } from './packed-lists.ts'
import { createRequirements, type Requirements, rarer, START } from './requirements.ts'

/** Decides which expressions may match in a text. */
export interface Prefilter {
  /** Indices of the expressions that ask for nothing, so that they may match in any text. */
  readonly always: readonly number[]
  /** Indices of the others that may match in `text`, in no order; the list is used again by the next call. */
  mayMatch(text: string): readonly number[]
  /** Watches for groups of expressions of which each matters only where all of its group may match. */
  alarmFor(groups: readonly (readonly number[])[]): Alarm
  /** Whether a text holds anything of what an alarm watches for; where none does, none of its groups matches. */
  rings(alarm: Alarm, text: string): boolean
}

/** The end of what is not asked for. */
const NOWHERE = -1

const STARTS_WORD = 1
const ENDS_WORD = 2

/** Letters that RE2 takes for `s` and `k` where case does not matter: of what holds them nothing is left out. */
const LONG_S = 0x17f
const KELVIN = 0x212a

const WORD = Uint8Array.from({ length: 128 }, (_, code) => (/\w/.test(String.fromCharCode(code)) ? 1 : 0))
const isWordAt = (text: string, at: number): boolean => WORD[text.charCodeAt(at)] === 1

/** @param expressions undefined for what is not known, which may match in any text; null for what is not asked for */
export function createPrefilter(expressions: readonly (Expression | undefined | null)[]): Prefilter {
  const requirements = createRequirements()
  const rarest: (LiteralSet | undefined)[] = []
  const endGates = expressions.map((expression) => {
    const end = expression ? requirements.add(expression) : undefined
    rarest.push(end?.rarest)
    return end?.gate ?? (expression === null ? NOWHERE : START)
  })
  const net = compileNet(requirements, endGates)
  const automaton = createLiteralAutomaton(net.literals)
  const { columns, next, ends, width } = automaton
  const walk = createWalk(net, automaton)
  const alarmFor = (groups: readonly (readonly number[])[]): Alarm =>
    createAlarm(
      net,
      automaton,
      groups.flatMap((group) => group.map((index) => rarest[index]).reduce(rarer, undefined) ?? []),
    )
  const everything = [...endGates.keys()].filter(
    (index) => endGates[index] !== NOWHERE && !net.always.includes(index),
  )
  const columnOf = (code: number): number => (code < NOT_ASCII ? (columns[code] ?? 0) : 0)
  const rings = ({ rows, isRung }: Alarm, text: string): boolean => {
    let row = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === LONG_S || code === KELVIN) return true
      row = next[row * width + columnOf(code)] ?? 0
      if (rows[row] !== 0 && isRung(row, text, at)) return true
    }
    return false
  }
  return {
    always: net.always,
    alarmFor,
    rings,
    mayMatch(text) {
      walk.begin()
      let row = 0
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at)
        if (code === LONG_S || code === KELVIN) return everything
        row = next[row * width + columnOf(code)] ?? 0
        const end = ends[row] ?? 0
        if (end !== 0) walk.meet(end, text, at)
      }
      return walk.found
    },
  }
}

/** Says whether one of the literals ends in a text without which no expression matches. */
export interface Alarm {
  /** By row, whether one may end there. */
  readonly rows: Uint8Array
  isRung(row: number, text: string, at: number): boolean
}

function createAlarm(
  net: CompiledNet,
  { ends, shorter, literalsAt }: LiteralAutomaton,
  rarest: LiteralSet,
): Alarm {
  const isRare = new Set(rarest.map((literal) => `${edgesOf(literal)} ${literal.text}`))
  const rare = net.literals.map((literal) => isRare.has(`${edgesOf(literal)} ${literal.text}`))
  const rareAt = (row: number): number[] => {
    const found: number[] = []
    for (let end = ends[row] ?? 0; end !== 0; end = shorter[end] ?? 0)
      for (const literal of literalsAt.items.subarray(literalsAt.starts[end], literalsAt.starts[end + 1]))
        if (rare[literal]) found.push(literal)
    return found
  }
  const byRow = new Map<number, readonly number[]>()
  const rows = new Uint8Array(ends.length)
  for (let row = 0; row < ends.length; row++) {
    const found = rareAt(row)
    if (found.length === 0) continue
    byRow.set(row, found)
    rows[row] = 1
  }
  return {
    rows,
    isRung: (row, text, at) => byRow.get(row)?.some((literal) => isEdged(net, literal, text, at)) === true,
  }
}

/** Whether a literal that ends at `at` begins and ends words where it must. */
function isEdged({ edges, lengths }: CompiledNet, literal: number, text: string, at: number): boolean {
  const edge = edges[literal] ?? 0
  if ((edge & ENDS_WORD) !== 0 && isWordAt(text, at + 1)) return false
  return (edge & STARTS_WORD) === 0 || !isWordAt(text, at - (lengths[literal] ?? 0))
}

/** The way through the gates of one text after another. */
interface Walk {
  /** The expressions whose last gate is open. */
  readonly found: readonly number[]
  begin(): void
  /** Takes the passages that wait for the literals which end at `at` of `text`. */
  meet(row: number, text: string, at: number): void
}

function createWalk(net: CompiledNet, { literalsAt, shorter }: LiteralAutomaton): Walk {
  const { setsOf, first, following, setOf, targets, passagesOf, freeOf, endOf } = net
  const found: number[] = []
  /** Number of the present text; what is marked with another is of one before. */
  let number = 0
  const opened = new Float64Array(freeOf.starts.length)
  const begun = new Float64Array(first.length)
  /** By set, the passage that waits for it and has come last; the others follow it. */
  const waiting = new Int32Array(first.length)
  /** Grows with each text and each passage that waits anew; a row that is marked with it has nothing that waits. */
  let news = 0
  const quiet = new Float64Array(shorter.length)
  const open = (gate: number): void => {
    if (opened[gate] === number) return
    opened[gate] = number
    for (let at = endOf.starts[gate] ?? 0; at < (endOf.starts[gate + 1] ?? 0); at++)
      found.push(endOf.items[at] ?? 0)
    for (let at = passagesOf.starts[gate] ?? 0; at < (passagesOf.starts[gate + 1] ?? 0); at++) {
      const passage = passagesOf.items[at] ?? 0
      const set = setOf[passage] ?? 0
      following[passage] = (begun[set] === number ? waiting[set] : first[set]) ?? -1
      begun[set] = number
      waiting[set] = passage
      news++
    }
    for (let at = freeOf.starts[gate] ?? 0; at < (freeOf.starts[gate + 1] ?? 0); at++)
      open(freeOf.items[at] ?? 0)
  }
  /** False where something goes on waiting, because a word does not begin or end there. */
  const meetLiteral = (literal: number, text: string, at: number): boolean => {
    for (let index = setsOf.starts[literal] ?? 0; index < (setsOf.starts[literal + 1] ?? 0); index++) {
      const set = setsOf.items[index] ?? 0
      let passage = (begun[set] === number ? waiting[set] : first[set]) ?? -1
      if (passage < 0) continue
      if (!isEdged(net, literal, text, at)) return false
      begun[set] = number
      waiting[set] = -1
      for (; passage >= 0; passage = following[passage] ?? -1) open(targets[passage] ?? 0)
    }
    return true
  }
  return {
    found,
    begin() {
      number++
      news++
      found.length = 0
    },
    meet(row, text, at) {
      if (quiet[row] === news) return
      const before = news
      let isQuiet = true
      for (let end = row; end !== 0; end = shorter[end] ?? 0)
        for (let index = literalsAt.starts[end] ?? 0; index < (literalsAt.starts[end + 1] ?? 0); index++)
          if (!meetLiteral(literalsAt.items[index] ?? 0, text, at)) isQuiet = false
      if (isQuiet && news === before) quiet[row] = news
    },
  }
}

/** A net with its literals, sets and passages by number. */
interface CompiledNet {
  readonly literals: readonly Literal[]
  /** By literal: what it asks of its neighbours, its length, and the sets that hold it. */
  readonly edges: Uint8Array
  readonly lengths: Uint16Array
  readonly setsOf: PackedLists
  /** By set, the first of the passages that wait for it in every text. */
  readonly first: Int32Array
  /** By passage: which waits for the same set after it, the set, and where it leads. */
  readonly following: Int32Array
  readonly setOf: Int32Array
  readonly targets: Int32Array
  /** By gate: what it opens freely, the passages from it, and the expressions that end there. */
  readonly freeOf: PackedLists
  readonly passagesOf: PackedLists
  readonly endOf: PackedLists
  /** Expressions that ask for no literal. */
  readonly always: readonly number[]
}

function compileNet({ gates, passages, free }: Requirements, ends: readonly number[]): CompiledNet {
  const perGate = (): number[][] => Array.from({ length: gates }, () => [])
  const [freeOf, passagesOf, endOf] = [perGate(), perGate(), perGate()]
  for (const { from, to } of free) freeOf[from]?.push(to)
  for (const [expression, gate] of ends.entries()) endOf[gate]?.push(expression)
  const open = openAtOnce(freeOf)
  const { literals, sets, setOf } = numbered(passages.map((passage) => passage.literals))
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
  const setsOf: number[][] = literals.map(() => [])
  for (const [set, members] of sets.entries()) for (const literal of members) setsOf[literal]?.push(set)
  return {
    literals,
    edges: Uint8Array.from(literals, edgesOf),
    lengths: Uint16Array.from(literals, ({ text }) => text.length),
    setsOf: packLists(setsOf),
    first,
    following,
    setOf: Int32Array.from(setOf),
    targets: Int32Array.from(passages, ({ to }) => to),
    freeOf: packLists(freeOf),
    passagesOf: packLists(passagesOf),
    endOf: packLists(endOf),
    always: [...open].flatMap((gate) => endOf[gate] ?? []),
  }
}

/** Gates that are open whatever the text. */
function openAtOnce(freeOf: readonly (readonly number[])[]): ReadonlySet<number> {
  const open = new Set([START])
  for (const gate of open) for (const other of freeOf[gate] ?? []) open.add(other)
  return open
}

/** Gives each literal and each set of them a number. */
function numbered(all: readonly LiteralSet[]) {
  const literals = new Map<string, { index: number; literal: Literal }>()
  const numberOf = (literal: Literal): number => {
    const key = `${edgesOf(literal)} ${literal.text}`
    const known = literals.get(key) ?? { index: literals.size, literal }
    literals.set(key, known)
    return known.index
  }
  const sets = new Map<string, { index: number; members: readonly number[] }>()
  const setOf = all.map((set) => {
    const members = [...new Set(set.map(numberOf))].sort((one, other) => one - other)
    const key = members.join()
    const known = sets.get(key) ?? { index: sets.size, members }
    sets.set(key, known)
    return known.index
  })
  return {
    literals: [...literals.values()].map(({ literal }) => literal),
    sets: [...sets.values()].map(({ members }) => members),
    setOf,
  }
}

/** The edges of words that can be told by a literal's neighbours: those of a letter of a word. */
const edgesOf = ({ text, startsWord, endsWord }: Literal): number =>
  (startsWord && /^\w/.test(text) ? STARTS_WORD : 0) | (endsWord && /\w$/.test(text) ? ENDS_WORD : 0)
