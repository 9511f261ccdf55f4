/**
 * A first glance at a value: one pass over its letters, in which nothing is made, says of most short ones that nothing can match in
 * them. It stops at whatever would have a value decoded, transformed or looked into; such a value is judged in full.
 */
import type { Alarm } from '../alarm.ts'
import { NOT_ASCII } from '../expressions/expression.ts'
import { isSignBehind, marksOfSigns } from '../letters.ts'
import { columnsByCode, type LiteralAutomaton } from '../literal-automaton.ts'

/**
 * Where it is certain that nothing matches in a text, however it is transformed, and decoded but for base64: how many characters of
 * its alphabets it has in a row. Otherwise `UNSURE`.
 */
export type Glance = (text: string) => number

export const UNSURE = -1

/** Marks of letters, beside those of signs: that a text with it is decoded, and that it is of base64's alphabets. */
const DECODED = 2 ** 29
const OF_BASE64 = 2 ** 30

/** What decoders look for, each by one letter: more than they change, so that no letter before or behind it need be asked. */
const IS_DECODED = /[^\t\v-\r\x20-\x7e]|[%&\\+*]/
const IS_OF_BASE64 = /[A-Za-z0-9+/_-]/

/**
 * Makes the glance for a place whose tests look at texts as they are, or after transformations that change none without one of
 * some signs.
 * @param alarm without one of its literals nothing matches in a text
 * @param changeSigns bits of `SIGN`
 */
export function createGlance(automaton: LiteralAutomaton, alarm: Alarm, changeSigns: number): Glance {
  const { next, width, firstEnding } = automaton
  const columns = columnsByCode(automaton)
  const rings = ringingRows(automaton, alarm)
  const signs = marksOfSigns(changeSigns)
  const marks = signs.ofLetter.map((mark, code) => {
    const letter = String.fromCharCode(code)
    return mark | (IS_DECODED.test(letter) ? DECODED : 0) | (IS_OF_BASE64.test(letter) ? OF_BASE64 : 0)
  })
  return (text) => {
    let row = 0
    let before = signs.beforeText
    let runStart = 0
    let longest = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code >= NOT_ASCII) return UNSURE
      const mark = marks[code] ?? DECODED
      if ((mark & DECODED) !== 0 || isSignBehind(before, mark)) return UNSURE
      before = mark
      row = next[row * width + (columns[code] ?? 0)] ?? 0
      if (row >= firstEnding && rings[row - firstEnding] === 1) return UNSURE
      if ((mark & OF_BASE64) !== 0) continue
      if (at - runStart > longest) longest = at - runStart
      runStart = at + 1
    }
    return Math.max(longest, text.length - runStart)
  }
}

/** By row behind the first at which literals end, whether one of those that are watched for ends there. */
function ringingRows({ ends, shorter, literalsAt, firstEnding }: LiteralAutomaton, alarm: Alarm): Uint8Array {
  const { starts, items } = literalsAt
  const isRinging = (row: number): boolean => {
    for (let end = ends[row] ?? 0; end !== 0; end = shorter[end] ?? 0)
      for (let at = starts[end] ?? 0; at < (starts[end + 1] ?? 0); at++)
        if (alarm[items[at] ?? 0] === 1) return true
    return false
  }
  return Uint8Array.from({ length: ends.length - firstEnding }, (_, index) =>
    isRinging(firstEnding + index) ? 1 : 0,
  )
}
