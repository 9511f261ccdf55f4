/** Checks in words. What was recorded is said beside what people set, and where the two do not agree, that is said too. */
import { attackWords, type CheckState, type ProjectCheck } from '@sallyport/contract'
import { isolated } from '../../design/isolated.ts'
import type { Tone } from '../../design/table/status.tsx'
import { wholeNumber } from '../../language/number.ts'
import { counted } from '../../language/plural.ts'

export const STATE_WORDS: Readonly<Record<CheckState, { readonly words: string; readonly tone: Tone }>> = {
  not_started: { words: 'Not started', tone: 'off' },
  in_progress: { words: 'In progress', tone: 'busy' },
  passed: { words: 'Passed', tone: 'good' },
  issues: { words: 'Issues found', tone: 'bad' },
  accepted: { words: 'Risk accepted', tone: 'warn' },
  not_applicable: { words: 'Not applicable', tone: 'off' },
}

const CLASSES_SHOWN = 3

/** "41 attempts by 2 researchers, 38 answered by the origin; never tried: XXE". */
export function verdictWords({ verdict, attackClasses }: ProjectCheck): string {
  if (verdict === null) return 'Not tied to a site'
  const { attempts, hackers, reachedOrigin, refusedByGate, operations, untested, untried } = verdict
  if (operations === 0) return 'Everything it is tied to was removed'
  if (attempts === 0)
    return verdict.requests === 0
      ? 'Never tried'
      : `Never tried; ${counted(verdict.requests, { one: 'request', other: 'requests' })}`
  const by =
    hackers.length === 0 ? '' : ` by ${counted(hackers.length, { one: 'researcher', other: 'researchers' })}`
  const refused = refusedByGate === 0 ? '' : `, ${wholeNumber(refusedByGate)} refused by the gate`
  const parts = [
    `${counted(attempts, { one: 'attempt', other: 'attempts' })}${by}, ${wholeNumber(reachedOrigin)} answered by the origin${refused}`,
  ]
  if (untested > 0)
    parts.push(`${untested} of ${counted(operations, { one: 'operation', other: 'operations' })} never tried`)
  if (untried.length > 0)
    parts.push(
      attackClasses.length === 0
        ? `${counted(untried.length, { one: 'class', other: 'classes' })} never tried`
        : `never tried: ${listed(untried.map((name) => isolated(attackWords(name))))}`,
    )
  if (verdict.isPartial) parts.push('more was recorded than was read')
  return parts.join('; ')
}

/** Why what was set and what was recorded do not agree; empty where they do. */
export function contradiction({ state, verdict }: ProjectCheck): string {
  if (state !== 'passed' || verdict === null) return ''
  if (verdict.attempts === 0) return 'Passed, although nothing was tried'
  return verdict.attempts === verdict.refusedByGate ? 'Passed, although the gate refused every attempt' : ''
}

export const tieWords = ({
  method,
  template,
}: {
  readonly method?: string | undefined
  readonly template?: string | undefined
}): string =>
  method === undefined || template === undefined ? 'the whole site' : isolated(`${method} ${template}`)

const listed = (words: readonly string[]): string =>
  words.length <= CLASSES_SHOWN
    ? words.join(', ')
    : `${words.slice(0, CLASSES_SHOWN).join(', ')} and ${words.length - CLASSES_SHOWN} more`

const DAY = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})

/** A day, which is in no time zone: 18 Dec 2026. */
export const dayWords = (day: string): string => DAY.format(new Date(`${day}T00:00:00Z`))
