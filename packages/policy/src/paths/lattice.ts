/**
 * What the characters of a target may be decoded to, as a lattice: edges from one place of the text to a later one, each with a
 * unit (UTF-16) that some decodings make of the characters between. `%2541` has edges for `%`, for `%25` as `%`, and for all
 * of it as `A`. A path through the lattice is a text that decoding some parts of the target, and not others, might give.
 *
 * Every text that the decoding steps of `transforms.ts` make, in whatever order, is a path through the lattice, and so is
 * every text with some of the droppable units left out. The reverse does not hold: steps apply to all of a text, and
 * the lattice lets each part choose. So it answers soundly that something cannot be read, and in linear time, because no
 * place may have more than `EDGES_MAX` edges nor an edge more than `LENGTH_MAX` characters; a text that asks for more is `full`.
 */
import { hexDigit } from './percent-decoding.ts'
import { foldCase } from './segments.ts'
import { compatibilityFold, DECODINGS_MAX } from './transforms.ts'

/** At one place. Texts of people have some ten. */
const EDGES_MAX = 64
const LENGTH_BITS = 9
/** Characters that one unit is decoded from; an overlong form, escaped three times, has some fifty. */
const LENGTH_MAX = 2 ** LENGTH_BITS - 1
/** Places that are looked at, on average, for each character. */
const LOOKS_PER_CHAR = 48

const PERCENT = 0x25
const PLUS = 0x2b
const SPACE = 0x20

export const unitOf = (edge: number): number => edge & 0xffff
export const lengthOf = (edge: number): number => (edge >>> 16) & LENGTH_MAX
const decodingsOf = (edge: number): number => (edge >>> (16 + LENGTH_BITS)) & 3
/** Whether the step was needed of which there is one at most: truncation to bytes. */
const isSpent = (edge: number): boolean => edge >>> SPENT_BIT !== 0
const SPENT_BIT = 16 + LENGTH_BITS + 2
const edgeOf = (place: number, decodings: number, spent: boolean): number =>
  place | (decodings << (16 + LENGTH_BITS)) | (spent ? 2 ** SPENT_BIT : 0)

/** Whether a step drops such a unit: control characters, and all that is not ASCII. */
export const isDroppable = (unit: number): boolean => unit < SPACE || unit >= 0x7f

/** Where reading goes on after some droppable units. */
interface Resumption {
  readonly at: number
  /** Layers of escapes that had to be undone for what was dropped. */
  readonly decodings: number
  /** Those below which nothing that is not ASCII was there yet, or it would have been dropped as well; 0 for no bound. */
  readonly foreignFrom: number
}

export class Lattice {
  readonly text: string
  /** True where not all edges were found. */
  full = false
  readonly #plusIsSpace: boolean
  readonly #edges: number[] = []
  /** Where the edges of a place begin, and end, in `#edges`; nothing at places that have only their own character. */
  readonly #from: Int32Array
  readonly #to: Int32Array
  /** By place, the most layers of escapes of anything from there on that is not ASCII, over what is droppable. */
  readonly #deepest: Uint8Array
  /** By place, whether a mark is next, or may be next once something is dropped. */
  readonly #marked: Uint8Array
  #looksLeft: number
  /** They are undone by a step of their own, so that what is dropped may be older than what seems to need fewer steps. */
  #hasUnicodeEscapes = false

  constructor(text: string, plusIsSpace: boolean) {
    this.text = text
    this.#plusIsSpace = plusIsSpace
    this.#from = new Int32Array(text.length + 1)
    this.#to = new Int32Array(text.length + 1)
    this.#deepest = new Uint8Array(text.length + 1)
    this.#marked = new Uint8Array(text.length + 1)
    this.#looksLeft = 4096 + LOOKS_PER_CHAR * text.length
    this.#findAll()
    if (this.#hasUnicodeEscapes) this.#findAll()
  }

  #findAll(): void {
    this.#edges.length = 0
    this.#to.fill(0)
    this.#deepest.fill(0)
    this.#marked.fill(0)
    units.fill(0)
    for (let at = this.text.length - 1; at >= 0 && !this.full; at -= 1)
      if (this.#isOdd(at)) this.#findEdges(at)
      else units[this.text.charCodeAt(at)] = 1
  }

  /** Edges from a place are `edge(from(at))` up to before `edge(to(at))`; none where only its own character stands there. */
  from = (at: number): number => this.#from[at] ?? 0
  to = (at: number): number => this.#to[at] ?? 0
  edge = (index: number): number => this.#edges[index] ?? 0

  /** Whether some edge has a letter, in either case; of those above U+00FF it is taken for granted. */
  has = (unit: number): boolean =>
    units[unit] !== 0 || (unit >= 0x61 && unit <= 0x7a && units[unit - 0x20] === 1)

  #isOdd(at: number): boolean {
    const unit = this.text.charCodeAt(at)
    if (unit === PERCENT || isDroppable(unit) || (unit === PLUS && this.#plusIsSpace)) return true
    return isBase(unit) && this.to(at + 1) !== 0
  }

  #findEdges(at: number): void {
    const from = this.#edges.length
    this.#from[at] = from
    this.#add(at, this.text.charCodeAt(at), at + 1, 0, false)
    // Edges that end where they begin lead to edges that are found later, as do those that turn out to need fewer steps.
    do {
      this.#isOpen = false
      for (let index = from; index < this.#edges.length && !this.full; index += 1)
        this.#derive(at, this.#edges[index] ?? 0)
    } while (this.#isOpen && !this.full)
  }
  #isOpen = false

  #add(at: number, unit: number, end: number, decodings: number, spent: boolean): void {
    if (decodings > DECODINGS_MAX || this.full) return
    const place = unit | ((end - at) << 16)
    const from = this.#from[at] ?? 0
    if (end - at > LENGTH_MAX || this.#edges.length - from >= EDGES_MAX) {
      this.full = true
      return
    }
    for (let index = from; index < this.#edges.length; index += 1) {
      const known = this.#edges[index] ?? 0
      if ((known & PLACE) !== place) continue
      if (decodingsOf(known) <= decodings && (spent || !isSpent(known))) return
      this.#isOpen = true
      this.#edges[index] = edgeOf(place, Math.min(decodingsOf(known), decodings), spent && isSpent(known))
      return
    }
    if (isComposing(unit)) this.#marked[at] = 1
    if (end === at) this.#isOpen = true
    else if (isDroppable(unit)) this.#passOn(at, end, unit < 0x80 ? 0 : decodings)
    units[unit] = 1
    this.#edges.push(edgeOf(place, decodings, spent))
    this.#to[at] = this.#edges.length
  }

  /** Notes what may come next where an edge is dropped. */
  #passOn(at: number, end: number, decodings: number): void {
    const deepest = this.#deepest[end] ?? 0
    this.#deepest[at] = Math.max(this.#deepest[at] ?? 0, deepest, decodings)
    if (this.#hasUnicodeEscapes || decodings === 0 || deepest > decodings)
      this.#marked[at] = (this.#marked[at] ?? 0) | (this.#marked[end] ?? 0)
  }

  /** Adds what further steps make of an edge, alone or with those after it. */
  #derive(at: number, edge: number): void {
    const unit = unitOf(edge)
    const end = at + lengthOf(edge)
    const decodings = decodingsOf(edge)
    const spent = isSpent(edge)
    if (unit === PERCENT) this.#undoEscape(at, end, decodings, spent)
    else if (unit === PLUS && this.#plusIsSpace) this.#add(at, SPACE, end, decodings, spent)
    if (unit >= 0x80) this.#fold(at, unit, end, decodings, spent)
    if (unit >= 0xc0 && unit <= 0xfd) this.#decodeUtf8(at, unit, end, decodings, spent)
    if (isBase(unit) && this.#marked[end] === 1) this.#compose(at, unit, end, decodings, spent)
  }

  /** `%41`, `%u0041`. */
  #undoEscape(at: number, end: number, decodings: number, spent: boolean): void {
    const digits = (from: number, left: number, value: number, most: number, any: boolean): void => {
      if (left === 0) {
        this.#add(at, value, from, most + 1, any)
        return
      }
      this.#eachAfter(from, DECODINGS_MAX, false, (unit, next, layers, _own, also) => {
        const digit = hexDigit(unit)
        if (digit >= 0) digits(next, left - 1, value * 16 + digit, Math.max(most, layers), any || also)
      })
    }
    if (decodings >= DECODINGS_MAX) return
    digits(end, 2, 0, decodings, spent)
    this.#eachAfter(end, DECODINGS_MAX, false, (unit, next, layers, _own, also) => {
      if ((unit | 0x20) !== 0x75) return
      this.#hasUnicodeEscapes = true
      digits(next, 4, 0, Math.max(decodings, layers), spent || also)
    })
  }

  /** Sequences as `looseUtf8Decode` has them. */
  #decodeUtf8(at: number, lead: number, end: number, decodings: number, spent: boolean): void {
    const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : lead < 0xfc ? 5 : 6
    const rest = (
      from: number,
      left: number,
      value: number,
      most: number,
      least: number,
      any: boolean,
    ): void => {
      if (left === 0) {
        this.#addCodePoint(at, value, from, most, any)
        return
      }
      this.#eachAfter(from, least, lead > 0xc1, (unit, next, layers, own, also) => {
        if (lead > 0xc1 && (unit & ~0x3f) !== 0x80) return
        const rarest = unit < 0x80 ? least : Math.min(least, own)
        rest(next, left - 1, value * 64 + (unit & 0x3f), Math.max(most, layers), rarest, any || also)
      })
    }
    rest(end, length - 1, lead & (0x7f >> length), decodings, decodings, spent)
  }

  #addCodePoint(at: number, value: number, end: number, decodings: number, spent: boolean): void {
    if (value <= 0xffff) this.#add(at, value, end, decodings, spent)
    else this.#addText(at, value > 0x10ffff ? '\ufffd' : String.fromCodePoint(value), end, decodings, spent)
  }

  /** A text of several units: each of them any number of times, in any order. Seldom needed, and simpler than places of its own. */
  #addText(at: number, text: string, end: number, decodings: number, spent: boolean): void {
    for (const character of text) {
      if (character.length === 1) continue
      if (ASTRAL_COMPOSING.test(character)) this.full = true
      this.#foldText(at, character, end, decodings, spent)
    }
    for (let index = 0; index < text.length; index += 1) {
      this.#add(at, text.charCodeAt(index), end, decodings, spent)
      if (text.length > 1) this.#add(at, text.charCodeAt(index), at, decodings, spent)
    }
  }

  /** What a single unit that is not ASCII becomes. */
  #fold(at: number, unit: number, end: number, decodings: number, spent: boolean): void {
    if (unit > 0xff && !spent) this.#add(at, unit & 0xff, end, decodings, true)
    if ((traitsOf(unit) & FOLDS) !== 0) this.#foldText(at, String.fromCharCode(unit), end, decodings, spent)
    if (unit >= 0xd800 && unit < 0xdc00)
      this.#eachAfter(end, decodings, true, (low, next, layers, _own, also) => {
        if (low >= 0xdc00 && low < 0xe000)
          this.#addText(at, String.fromCharCode(unit, low), next, Math.max(decodings, layers), spent || also)
      })
  }

  #foldText(at: number, text: string, end: number, decodings: number, spent: boolean): void {
    for (const folded of [compatibilityFold(text), foldUnits(text)])
      if (folded !== text) this.#addText(at, folded, end, decodings, spent)
  }

  /** Letters and the marks after them, over other marks between them. */
  #compose(at: number, unit: number, end: number, decodings: number, spent: boolean): void {
    const seen = new Set<number>()
    const over = (from: number, most: number, any: boolean): void => {
      if (seen.has(from)) return
      seen.add(from)
      if (seen.size >= MARKS_MAX) this.full = true
      this.#eachAfter(
        from,
        unit < 0x80 ? DECODINGS_MAX : decodings,
        true,
        (mark, next, layers, _own, also) => {
          if (!isComposing(mark)) return
          const pair = String.fromCharCode(unit, mark)
          const composed = pair.normalize('NFKC')
          if (composed !== pair) {
            this.#addText(at, composed, next, Math.max(most, layers), any || also)
            if (from !== end) this.#addText(at, composed, end, Math.max(most, layers), any || also)
          }
          over(next, Math.max(most, layers), any)
        },
      )
    }
    over(end, decodings, spent)
  }

  /**
   * Visits the edges at a place, and at those to which droppable units lead. What is visited is told the unit and end of an edge,
   * the layers of escapes that have to be undone for all of it, those of the edge alone, and whether it is spent. What stood there before something that is
   * not ASCII was dropped must be ASCII, or have been escaped more often than that: `least` times, of what is on both sides.
   * `foreign` is true where only edges count that are not ASCII.
   */
  #eachAfter(at: number, least: number, foreign: boolean, visit: Visit): void {
    if (at >= this.text.length) return
    if (this.to(at) === 0) {
      visit(this.text.charCodeAt(at), at + 1, 0, 0, false)
      return
    }
    const resumptions = this.#visitEdges({ at, decodings: 0, foreignFrom: 0 }, least, foreign, visit)
    if (resumptions === undefined) return
    for (const next of resumptions)
      if (this.to(next.at) !== 0) this.#visitEdges(next, least, foreign, visit, resumptions)
      else if (next.at < this.text.length)
        visit(this.text.charCodeAt(next.at), next.at + 1, next.decodings, 0, false)
  }

  #visitEdges(
    { at, decodings, foreignFrom }: Resumption,
    least: number,
    foreign: boolean,
    visit: Visit,
    resumptions?: Resumption[],
  ): Resumption[] | undefined {
    for (let index = this.from(at); index < this.to(at); index += 1) {
      this.#looksLeft -= 1
      if (this.#looksLeft < 0) this.full = true
      if (this.full) return undefined
      const edge = this.edge(index)
      const unit = unitOf(edge)
      const own = decodingsOf(edge)
      const end = at + lengthOf(edge)
      if (unit < 0x80 ? !foreign : own >= foreignFrom)
        visit(unit, end, Math.max(decodings, own), own, isSpent(edge))
      if (!isDroppable(unit) || end === at) continue
      const from = this.#hasUnicodeEscapes || unit < 0x80 ? foreignFrom : Math.max(foreignFrom, own + 1)
      if (from > least || (foreign && (this.#deepest[end] ?? 0) < from)) continue
      resumptions ??= []
      this.#resume(resumptions, { at: end, decodings: Math.max(decodings, own), foreignFrom: from })
    }
    return resumptions
  }

  #resume(resumptions: Resumption[], next: Resumption): void {
    for (const known of resumptions) {
      this.#looksLeft -= 1
      if (known.at === next.at && known.decodings <= next.decodings && known.foreignFrom <= next.foreignFrom)
        return
    }
    resumptions.push(next)
  }
}

type Visit = (unit: number, end: number, layers: number, own: number, spent: boolean) => void

/** Which units up to U+00FF the edges of the lattice that was made last have. */
const units = new Uint8Array(0x100)

const PLACE = 2 ** (16 + LENGTH_BITS) - 1

/** What composes with a mark: letters, `<`, `=`, `>`, and what is not ASCII. */
const isBase = (unit: number): boolean =>
  unit >= 0x80 || (unit >= 0x3c && unit <= 0x3e) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a)

/** As segments are compared, but without the form of sigma that depends on what follows. */
export const foldUnits = (text: string): string => foldCase(text).replaceAll('\u03c2', '\u03c3')

const KNOWN = 1
const FOLDS = 2
const COMPOSES = 4
/** Marks, and the vowels and final consonants of Hangul. */
const COMPOSING = /[\p{M}\u1160-\u11ff]/u
/** Scripts in whose letters and marks two code points outside of the BMP become one. */
const ASTRAL_COMPOSING = /[\u{105c0}-\u{16fff}]/u
/** Longer runs of marks are broken up (`compatibilityFold`), which no text of people asks for. */
const MARKS_MAX = 29
/** Whether a unit may become one with what stands before it. */
export const isComposing = (unit: number): boolean => (traitsOf(unit) & COMPOSES) !== 0

/** What is known of each unit so far. */
const traits = new Uint8Array(0x10000)

function traitsOf(unit: number): number {
  const known = traits[unit] ?? 0
  if (known !== 0 || unit < 0x80) return known
  const character = String.fromCharCode(unit)
  const folds = compatibilityFold(character) !== character || foldUnits(character) !== character
  const found = KNOWN | (folds ? FOLDS : 0) | (COMPOSING.test(character) ? COMPOSES : 0)
  traits[unit] = found
  return found
}
