/**
 * Which prefixes some interpretation of a target may lie under, found in one walk over its lattice, in linear time.
 *
 * The walk is that of a nondeterministic automaton. A state says which folder the path has come to, how many segments deeper
 * it is, and how the segment that is being read stands: like the name of a folder so far, like none, dots that climb, or over
 * but for what every reader cuts (parameters, streams, dots and spaces at the end). What the structural steps of
 * `transforms.ts` do is done by moves between states.
 *
 * It finds too much rather than too little: steps that exclude each other may both be taken, and dots that climb may be ignored.
 * So of states that differ only in depth, the least deep one leads to everything that the others lead to, and is the only
 * one kept.
 */
import { isComposing, isDroppable, Lattice, lengthOf, unitOf } from './lattice.ts'
import { type PrefixTree, ROOT } from './prefix-tree.ts'

/** Kinds of states. The text begins; a segment begins; a segment is like no name; it is `.`; it is `..`. */
const BEGIN = 0
const START = 1
const OTHER = 2
const DOT = 3
const DOTS = 4
/** The segment is over but for dots and spaces; it is over but for anything before the next slash. */
const TAIL = 5
const REST = 6
/** The next slash is none; the segment may name a script; it is like the beginning of a name, whose letter is the state's number. */
const JOINED = 7
const SCRIPT = 8
const NAME = 9
/** After `/`, `/(`, `/(S`: a session in the path, which may hide anything. */
const SESSION = 10
/** After the slash that belongs to a segment: a mark would make another letter of it. */
const JOINT = 11
/** As `REST`, and the next slash is none. */
const JOINED_REST = 12

const DEPTH_MAX = 15
/** States at one place. More come about only where prefixes and target were made for it. */
const STATES_MAX = 96
const DEAD = -1
/** Moves of all states: a text of people takes some thousands. */
const MOVES_MAX = 20_000

const [NUL, SPACE, HASH, OPENING, PERIOD, SLASH] = [0, 0x20, 0x23, 0x28, 0x2e, 0x2f]
const [COLON, SEMICOLON, QUESTION, BACKSLASH, LETTER_O, OVERLONG] = [0x3a, 0x3b, 0x3f, 0x5c, 0x6f, 0xc1]

/** What no state but that in a name looks at: most letters, digits and signs. */
const ORDINARY = Uint8Array.from({ length: 128 }, (_, unit) =>
  /[^\0-\x20/\\.:;?#\x7f]/.test(String.fromCharCode(unit)) ? 1 : 0,
)
/** Whether a unit ends the path, for some reader. */
const endsPath = (unit: number): boolean =>
  unit === QUESTION || unit === HASH || unit === SEMICOLON || unit === NUL
/** Whether it ends what counts of a segment. */
const endsSegment = (unit: number): boolean => unit === SEMICOLON || unit === COLON
const endsAuthority = (unit: number): boolean => unit === QUESTION || unit === HASH || unit === BACKSLASH
const isCapital = (unit: number): boolean => unit >= 0x41 && unit <= 0x5a

/**
 * The indexes of the prefixes that some interpretation of a text may lie under; undefined where more work would have to be
 * done than is: then it may be any of them.
 */
export function reachablePrefixes(tree: PrefixTree, text: string): ReadonlySet<number> | undefined {
  const lattice = new Lattice(text, tree.conventions.has('plusAsSpace'))
  if (lattice.full) return undefined
  const isSpelled = (units: readonly number[]): boolean => units.every(lattice.has)
  // Letters may come about where a session is dropped, or where a slash comes to stand after half of an overlong form.
  if (!lattice.has(OPENING) && !lattice.has(OVERLONG) && !tree.units.some(isSpelled)) return NONE
  return new PrefixSearch(tree, lattice).run()
}
const NONE: ReadonlySet<number> = new Set()

class PrefixSearch {
  readonly #tree: PrefixTree
  readonly #lattice: Lattice
  /** By place: each is `(number * 16 + kind) * 16 + depth`; the number is that of a folder, or of a letter. */
  readonly #states: (number[] | undefined)[]
  readonly #found = new Set<number>()
  readonly #hasSuffixes: boolean
  readonly #hasScripts: boolean
  readonly #hasPageData: boolean
  readonly #hasSessions: boolean
  #full = false
  #movesLeft = MOVES_MAX

  constructor(tree: PrefixTree, lattice: Lattice) {
    this.#tree = tree
    this.#lattice = lattice
    this.#states = new Array(lattice.text.length + 1)
    this.#hasPageData = tree.conventions.has('nextJs')
    this.#hasSuffixes = tree.conventions.has('formatSuffix') || this.#hasPageData
    this.#hasSessions = lattice.has(OPENING)
    this.#hasScripts = tree.conventions.has('frontController')
  }

  run(): ReadonlySet<number> | undefined {
    const { text } = this.#lattice
    this.#arrive(ROOT, 0)
    this.#add(0, ROOT, BEGIN, 0)
    for (let at = 0; at < text.length; at += 1) {
      if (this.#found.size === this.#tree.size) return this.#found
      const states = this.#states[at]
      if (!states || this.#carry(at, states)) continue
      // The list grows where an edge ends where it begins.
      for (let index = 0; index < states.length; index += 1) this.#follow(at, states[index] ?? DEAD)
      this.#states[at] = undefined
      if (this.#full || this.#movesLeft < 0) return undefined
    }
    for (const state of this.#states[text.length] ?? []) if (state !== DEAD) this.#endSegment(state)
    return this.#found
  }

  /** Most characters change nothing: all states are carried on as they are. */
  #carry(at: number, states: number[]): boolean {
    const next = at + 1
    if (this.#lattice.to(at) !== 0 || this.#states[next]) return false
    if (ORDINARY[this.#lattice.text.charCodeAt(at)] !== 1) return false
    for (let index = 0; index < states.length; index += 1) {
      const kind = ((states[index] ?? 0) >> 4) & 15
      if (kind !== OTHER && kind !== REST && kind !== JOINED && kind !== SCRIPT) return false
    }
    this.#states[at] = undefined
    this.#states[next] = states
    return true
  }

  /** Takes a state along every edge from a place. */
  #follow(at: number, state: number): void {
    if (state === DEAD) return
    const lattice = this.#lattice
    const to = lattice.to(at)
    if (to === 0) this.#move(state, lattice.text.charCodeAt(at), at + 1)
    for (let index = lattice.from(at); index < to; index += 1) {
      const edge = lattice.edge(index)
      const end = at + lengthOf(edge)
      this.#move(state, unitOf(edge), end)
      if (isDroppable(unitOf(edge))) this.#addState(end, state)
    }
  }

  #move(state: number, unit: number, end: number): void {
    const kind = (state >> 4) & 15
    this.#movesLeft -= 1
    if (unit === SLASH || unit === BACKSLASH) {
      this.#crossSlash(state, kind, end)
      // Not every reader takes a backslash for one.
      if (unit === SLASH) return
    }
    if (endsPath(unit)) this.#endSegment(state)
    if (kind === NAME) this.#moveInName(state >> 8, unit, end)
    else if (kind === JOINT) this.#full ||= isComposing(unit)
    else if (kind === SESSION) this.#moveInSession(state >> 8, unit, end)
    else this.#moveInSegment(state, kind, unit, end)
  }

  #moveInName(letter: number, unit: number, end: number): void {
    const next = this.#tree.letterAfter(letter, isCapital(unit) ? unit + 0x20 : unit)
    if (next !== undefined) this.#add(end, next, NAME, 0)
    // An overlong form of a letter, whose second byte is a slash that comes to stand there.
    if (unit === OVERLONG && this.#tree.letterAfter(letter, LETTER_O) !== undefined) this.#full = true
    const folder = this.#tree.folderNamed(letter)
    if (folder !== undefined) this.#moveAfter(folder, 0, unit, end)
  }

  #moveInSegment(state: number, kind: number, unit: number, end: number): void {
    const depth = state & 15
    const folder = state >> 8
    if (kind === BEGIN || kind === START) this.#beginSegment(folder, depth, unit, end)
    else if (kind === TAIL || kind === DOT) this.#moveAfter(folder, depth, unit, end)
    else if (kind === DOTS)
      this.#eachAbove(folder, depth, (above, left) => this.#moveAfter(above, left, unit, end))
    else this.#addState(end, state)
    // What ends an authority, or comes after a scheme, may begin the first segment.
    if ((kind === REST || kind === TAIL) && folder === ROOT && depth === 0 && endsAuthority(unit))
      this.#beginSegment(ROOT, 0, unit, end)
    if (kind === REST && unit === OVERLONG) this.#add(end, folder, JOINED_REST, depth)
    if (kind === DOT && unit === PERIOD) this.#add(end, folder, DOTS, depth)
    if (kind === OTHER) this.#markOther(folder, depth, unit, end)
  }

  #beginSegment(folder: number, depth: number, unit: number, end: number): void {
    this.#add(end, folder, OTHER, depth)
    this.#markOther(folder, depth, unit, end)
    if (depth === 0) this.#moveInName(this.#tree.firstLetters[folder] ?? 0, unit, end)
    if (unit === PERIOD) this.#add(end, folder, DOT, depth)
    else this.#moveAfter(folder, depth, unit, end)
  }

  /** What else a segment may be that is like no name. */
  #markOther(folder: number, depth: number, unit: number, end: number): void {
    if (unit === OVERLONG) this.#add(end, folder, JOINED, depth)
    // A scheme.
    if (unit === COLON && folder === ROOT && depth === 0) this.#add(end, ROOT, TAIL, 0)
    if (unit === PERIOD && this.#hasScripts) this.#add(end, folder, SCRIPT, depth)
  }

  /** Moves on after a segment that leads to a folder: over what is cut. */
  #moveAfter(folder: number, depth: number, unit: number, end: number): void {
    if (unit === SPACE || unit === PERIOD) this.#add(end, folder, TAIL, depth)
    if (endsSegment(unit) || (unit === PERIOD && this.#hasSuffixes)) {
      this.#arrive(folder, depth)
      this.#add(end, folder, REST, depth)
    }
  }

  #crossSlash(state: number, kind: number, end: number): void {
    const depth = state & 15
    const folder = state >> 8
    if (this.#hasSessions) this.#add(end, 1, SESSION, 0)
    this.#endSegment(state)
    if (kind === BEGIN) this.#add(end, folder, START, depth)
    else if (kind === OTHER) this.#add(end, folder, START, depth + 1)
    else if (kind === JOINED) {
      this.#add(end, folder, OTHER, depth)
      this.#add(end, folder, JOINED, depth)
      this.#add(end, ROOT, JOINT, 0)
    } else if (kind === DOTS) this.#eachAbove(folder, depth, (above, left) => this.#start(above, left, end))
    else if (kind === NAME) {
      const named = this.#tree.folderNamed(folder)
      if (named !== undefined) this.#start(named, 0, end)
    } else if (kind === SCRIPT) {
      this.#add(end, folder, START, depth)
      this.#add(end, ROOT, START, 0)
    } else if (kind === JOINED_REST) {
      this.#add(end, folder, REST, depth)
      this.#addState(end, state)
    } else if (kind !== SESSION && kind !== JOINT) this.#start(folder, depth, end)
    // One of those that lead to a page's data.
    if (kind === OTHER && this.#hasPageData) this.#add(end, folder, START, depth)
  }

  /** Begins a segment after one that may be empty. */
  #start(folder: number, depth: number, end: number): void {
    this.#add(end, folder, START, depth)
    // An authority.
    if (folder === ROOT && depth === 0) this.#add(end, ROOT, REST, 0)
  }

  /** Dots that climb lead to the folder above; ignored, they lead nowhere. */
  #eachAbove(folder: number, depth: number, visit: (folder: number, depth: number) => void): void {
    if (depth > 0) visit(folder, depth - 1)
    else visit(this.#tree.parents[folder] ?? ROOT, 0)
    visit(folder, depth)
  }

  #endSegment(state: number): void {
    const kind = (state >> 4) & 15
    if (kind === NAME) {
      const folder = this.#tree.folderNamed(state >> 8)
      if (folder !== undefined) this.#arrive(folder, 0)
    } else if (kind === TAIL) this.#arrive(state >> 8, state & 15)
  }

  #arrive(folder: number, depth: number): void {
    if (depth === 0) for (const prefix of this.#tree.prefixes[folder] ?? []) this.#found.add(prefix)
  }

  #moveInSession(phase: number, unit: number, end: number): void {
    const isLetter = (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a
    if (phase === 2 ? isLetter : unit === OPENING) {
      if (phase === 3) this.#full = true
      else this.#add(end, phase + 1, SESSION, 0)
    }
  }

  #add(at: number, number: number, kind: number, depth: number): void {
    this.#addState(at, (number * 16 + kind) * 16 + Math.min(depth, DEPTH_MAX))
  }

  #addState(at: number, state: number): void {
    const states = this.#states[at]
    if (!states) {
      this.#states[at] = [state]
      return
    }
    for (let index = 0; index < states.length; index += 1) {
      const known = states[index] ?? DEAD
      if (known >> 4 !== state >> 4) continue
      if (known <= state) return
      states[index] = DEAD
    }
    if (states.length < STATES_MAX) states.push(state)
    else this.#full = true
  }
}
