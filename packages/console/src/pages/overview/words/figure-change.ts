/** The change of a figure against the period before, in a sign for the eye and in words for everybody else. */
import { percent, wholeNumber } from '../../../design/number.ts'

export interface FigureChange {
  readonly sign: '▲' | '▼' | ''
  /** What stands beside the sign. */
  readonly text: string
  /** The same in words. */
  readonly words: string
}

/** Beyond this, a factor reads better than a percentage. */
const FACTOR_MIN = 10

/** `before` is null where there is no earlier data. */
export function changeOf(now: number, before: number | null): FigureChange {
  if (before === null) return { sign: '', text: 'no earlier data', words: 'no earlier data' }
  if (now === before) return { sign: '', text: 'no change', words: 'unchanged from the previous period' }
  if (before === 0) return { sign: '▲', text: 'from 0', words: 'none in the previous period' }
  const sign = now > before ? '▲' : '▼'
  if (now >= FACTOR_MIN * before) {
    const times = wholeNumber(Math.floor(now / before))
    return { sign, text: `×${times}`, words: `${times} times as many as in the previous period` }
  }
  const share = percent(Math.abs(now - before), before)
  const text = share.startsWith('0.0') ? '< 0.1 %' : share
  return { sign, text, words: `${text} ${now > before ? 'more' : 'fewer'} than in the previous period` }
}
