/** The change of a figure against the period before, in a sign for the eye and in words for everybody else. */
import { percent, wholeNumber } from '../../../language/number.ts'
import { texts } from './texts.ts'

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
  if (before === null) return { sign: '', text: texts.noEarlierData, words: texts.noEarlierData }
  if (now === before) return { sign: '', text: texts.noChange, words: texts.unchangedFromThePreviousPeriod }
  if (before === 0) return { sign: '▲', text: texts.fromZero, words: texts.noneInThePreviousPeriod }
  const sign = now > before ? '▲' : '▼'
  if (now >= FACTOR_MIN * before) {
    const times = wholeNumber(Math.floor(now / before))
    return { sign, text: `×${times}`, words: texts.timesAsMany(times) }
  }
  const share = percent(Math.abs(now - before), before)
  const text = share.startsWith('0.0') ? '< 0.1 %' : share
  return { sign, text, words: texts.moreFewerThan(text, now > before) }
}
