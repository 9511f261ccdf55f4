/** A visit in words: what its bar shows, for those who do not see it. */
import type { Visit } from '@sallyport/contract'
import { attackWords } from '@sallyport/contract/words'
import { isolated } from '../../../design/isolated.ts'
import type { TimeWords } from '../../../design/time/time.tsx'
import { wholeNumber } from '../../../language/number.ts'
import { counted } from '../../../language/plural.ts'
import { verdictCounts } from '../../../parts/researcher/verdict-counts.ts'

const CLASSES_SAID = 3

export function visitWords(visit: Visit, time: TimeWords): string {
  const { serverErrors, throttled, refused } = verdictCounts(visit.verdicts)
  const classes = visit.attacks.slice(0, CLASSES_SAID).map((one) => isolated(attackWords(one.class)))
  const more = visit.attacks.length - classes.length
  const facts = [
    counted(visit.requests, { one: 'request', other: 'requests' }),
    visit.attempts > 0
      ? `${counted(visit.attempts, { one: 'attack', other: 'attacks' })} (${classes.join(', ')}${more > 0 ? `, ${more} more classes` : ''})`
      : 'no attack',
    ...(serverErrors > 0 ? [counted(serverErrors, { one: 'answer 5xx', other: 'answers 5xx' })] : []),
    ...(throttled > 0 ? [counted(throttled, { one: 'answer 429', other: 'answers 429' })] : []),
    ...(refused > 0 ? [`${wholeNumber(refused)} refused by the gate`] : []),
  ]
  return `${time.short(visit.start)} to ${time.minute(visit.end)}: ${facts.join(', ')}`
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** How long a visit lasted. */
export function lengthWords({ start, end }: Pick<Visit, 'start' | 'end'>): string {
  const ms = Date.parse(end) - Date.parse(start)
  if (ms < MINUTE_MS) return 'Under a minute'
  const hours = Math.floor(ms / HOUR_MS)
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS)
  return [hours > 0 ? `${hours} h` : '', minutes > 0 ? `${minutes} min` : '']
    .filter((part) => part !== '')
    .join(' ')
}
