/** Words that follow a number. Which forms a language has, and which number takes which, is of Unicode CLDR. */
import { wholeNumber } from './number.ts'

const rules = new Intl.PluralRules('en')

export interface PluralForms {
  readonly one: string
  readonly other: string
}

/** The form that goes with `count`. */
export const plural = (count: number, { one, other }: PluralForms): string =>
  rules.select(count) === 'one' ? one : other

/** The number, and the form that goes with it: `1,024 requests`. */
export const counted = (count: number, forms: PluralForms): string =>
  `${wholeNumber(count)} ${plural(count, forms)}`
