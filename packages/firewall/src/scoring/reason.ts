/** What a score is made of, in words that people read in the record. */
import { HIT_REASON_CHARS_MAX } from '@sallyport/contract/words'
import type { CompiledRule } from '../rules/compiled-rules.ts'
import type { ScorePart } from './scorer.ts'
import { type Surroundings, surroundingsOf } from './signs.ts'

const SEPARATOR = ', '
const WHERE: Readonly<Record<Surroundings, string>> = {
  text: '',
  code: 'in code',
  'stray line': 'in a stray line of code',
}

/** The names of what adds to a score, the weightiest first; what does not fit is counted. */
export function reasonOf(
  parts: readonly ScorePart[],
  rules: readonly Pick<CompiledRule, 'id' | 'name'>[],
  signs: number,
): string {
  const nameOf = new Map(rules.map(({ id, name }) => [id, name || id]))
  const names = parts.map(({ rule = '', sign }) => sign ?? nameOf.get(rule) ?? rule)
  const where = WHERE[surroundingsOf(signs)]
  return listed([...new Set(where === '' ? names : [...names, where])])
    .slice(0, HIT_REASON_CHARS_MAX)
    .toWellFormed()
}

function listed(names: readonly string[]): string {
  for (let count = names.length; count > 1; count--) {
    const left = names.length - count
    const text = [...names.slice(0, count), ...(left > 0 ? [`and ${left} more`] : [])].join(SEPARATOR)
    if (text.length <= HIT_REASON_CHARS_MAX) return text
  }
  return names[0] ?? ''
}

/** A score in percent, rounded down: 100 is not reached, because nothing is certain. */
export const percentOf = (score: number): number => Math.min(99, Math.floor(score * 100))
