/** Verdicts of attempts in words, and as the marks of the map: never a colour alone. */
import { isRefusedByGate, type UntestedWord, type VerdictWord } from '@sallyport/contract'
import type { Tone } from '../../design/table/status.tsx'
import { counted } from '../../language/plural.ts'

interface Shown {
  readonly words: string
  readonly mark: string
  readonly tone: Tone
}

const SHOWN: Readonly<Record<VerdictWord, Shown>> = {
  server_error: { words: 'The origin answered 5xx', mark: '!', tone: 'bad' },
  reached: { words: 'Reached the origin', mark: '', tone: 'good' },
  refused_by_origin: { words: 'Refused by the origin', mark: '×', tone: 'busy' },
  throttled_by_origin: { words: 'Throttled by the origin', mark: '×', tone: 'busy' },
  unanswered: { words: 'No answer of the origin', mark: '?', tone: 'off' },
  definition: { words: 'Refused by the API definition as a rule', mark: '⊘', tone: 'warn' },
  throttled: { words: 'Refused by a rate limit', mark: '⊘', tone: 'warn' },
  firewall: { words: 'Refused by the firewall', mark: '⊘', tone: 'warn' },
  block: { words: 'Refused by a block rule', mark: '⊘', tone: 'warn' },
  gate: { words: 'Refused by the gate', mark: '⊘', tone: 'warn' },
}

export const shownVerdict = (verdict: VerdictWord): Shown => SHOWN[verdict]

/** What an operation says of which nothing was tried because the gate let nothing through; empty of any other. */
export const UNTESTED_WORDS: Readonly<Record<UntestedWord, string>> = {
  untried: '',
  refused: 'Untested: the gate refused every request',
  refused_before_inspection: 'Untested: the gate refused every request before it was inspected',
}

/** What a cell says in a sentence. */
export const cellWords = (verdict: VerdictWord, attempts: number): string =>
  `${counted(attempts, { one: 'attempt', other: 'attempts' })}: ${
    isRefusedByGate(verdict) ? 'clean because refused by the gate. ' : ''
  }${SHOWN[verdict].words}`

/** The legend of the map. */
export const LEGEND: readonly (Shown & { readonly name: string })[] = [
  { ...SHOWN.server_error, name: 'The origin answered 5xx' },
  { ...SHOWN.reached, name: 'Reached the origin' },
  { ...SHOWN.refused_by_origin, name: 'Refused or throttled by the origin' },
  { ...SHOWN.unanswered, name: 'No answer known' },
  {
    ...SHOWN.firewall,
    name: 'Clean only because the gate refused it (beside an operation: untested for that reason)',
  },
]
