/** What schemas say of texts and numbers. */
import type { TableSchemaObject } from '../table.ts'
import { isOfFormat } from './formats.ts'
import type { ValueJudge } from './value-judge.ts'
import { isMultiple } from './values.ts'

/** How many characters of a text are one step. */
const CHARS_PER_STEP = 64

export function judgeText(judging: ValueJudge, schema: TableSchemaObject, text: string): boolean {
  const { minLength, maxLength, pattern, format } = schema
  if (typeof minLength === 'number' || typeof maxLength === 'number') {
    judging.spend(Math.ceil(text.length / CHARS_PER_STEP))
    const length = charactersOf(text)
    if (typeof minLength === 'number' && length < minLength) return judging.refuse('is too short')
    if (typeof maxLength === 'number' && length > maxLength) return judging.refuse('is too long')
  }
  if (typeof format === 'string' && !isOfFormat(format, text)) return judging.refuse(`is no ${format}`)
  if (typeof pattern === 'string' && judging.patterns.test(pattern, text, judging.spend) === false)
    return judging.refuse('does not match the declared pattern')
  return true
}

/** By code points, as JSON Schema counts. */
function charactersOf(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0xd800 || unit > 0xdbff) continue
    const next = text.charCodeAt(at + 1)
    if (next >= 0xdc00 && next <= 0xdfff) {
      count--
      at++
    }
  }
  return count
}

export function judgeNumber(judging: ValueJudge, schema: TableSchemaObject, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema
  const isBelow =
    (typeof minimum === 'number' && value < minimum) ||
    (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
  if (isBelow) return judging.refuse('is too small')
  const isAbove =
    (typeof maximum === 'number' && value > maximum) ||
    (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
  if (isAbove) return judging.refuse('is too large')
  if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf))
    return judging.refuse('is no multiple of what is declared')
  if (typeof format === 'string' && !isOfFormat(format, value)) return judging.refuse(`is no ${format}`)
  return true
}
