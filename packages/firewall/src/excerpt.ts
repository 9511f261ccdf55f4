/** What a hit shows of the text that matched: bounded, and without the secrets that it may hold. */
import { EXCERPT_CHARS_MAX, RESEARCHER_KEY_IN_TEXT } from '@sallyport/contract/words'

const MASK = '***'
const SECRET_NAME =
  /pass(?:word|wd|phrase|code)?$|passw|^pwd|pwd$|secret|token|api[-_.]?key|private[-_]?key|credential|authori[sz]ation|^auth$|session|cvv|cvc|^pin$|otp/i
const SECRET_TEXT: readonly RegExp[] = [
  /\beyJ[\w-]{8,}\.[\w-]{4,}\.?[\w-]*/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\b(?:gh[pousr]|github_pat|glpat|xox[abpr]|sk|rk|ak|pk)[-_](?:live_|test_)?[A-Za-z0-9_-]{16,}/g,
  RESEARCHER_KEY_IN_TEXT,
  /(?<=\b(?:bearer|basic)\s)[\w.~+/=-]{8,}/gi,
  /(?<=(?:passw(?:or)?d|pwd|secret|token|api_?key)["']?\s?[=:]\s?["']?)[^\s"'&,;]{3,}/gi,
]
const CARD = /\b\d(?:[ -]?\d){12,18}\b/g

/** @param parameter name of the parameter that held the text; a secret's name hides all of it */
export function excerptOf(parameter: string, text: string): string {
  if (SECRET_NAME.test(parameter.slice(-256))) return MASK
  // Masked before it is cut, so that half a secret does not survive; bounded first, because text may be a whole window.
  let shown = text.slice(0, EXCERPT_CHARS_MAX * 4)
  for (const secret of SECRET_TEXT) shown = shown.replace(secret, MASK)
  shown = shown.replace(CARD, (digits) => (isCardNumber(digits) ? MASK : digits))
  return shown.slice(0, EXCERPT_CHARS_MAX).toWellFormed()
}

/** The Luhn check, which a payment card's number passes and most other numbers do not. */
function isCardNumber(text: string): boolean {
  let sum = 0
  const digits = text.replace(/\D/g, '')
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index])
    const doubled = index % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
