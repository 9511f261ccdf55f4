/** Every disguise by its kind: how a text is brought to the gate so that an origin still reads it. */
import type { TestRequest } from '../corpus.ts'
import { get, post } from '../requests.ts'
import { ATTACKS, type Attack } from './attacks.ts'
import { OF_BODY, OF_MULTIPART } from './bodies.ts'
import { OF_LANGUAGE, OF_TEXT, OF_WIRE, percent } from './characters.ts'
import { OF_PLACE, SPLIT, STRADDLING } from './places.ts'

export interface Disguise {
  readonly kind: string
  /** The attacks that work when they are disguised like this. */
  readonly attacks: readonly Attack[]
  /** True where nobody who is harmless sends such a thing, so that an alarm is right whatever is in it. */
  readonly isEvidence: boolean
  request(text: string, index: number): TestRequest
}

/** Full-width letters as `%u`, comments of SQL, streams of PHP, serialized objects, UTF-7 and EBCDIC. */
const EVIDENCE =
  /: %u, full-width|^language: .*comments|: two values of one name|: base64 in a data URL|PHP values|Java stream|UTF-7|charset of the form|IBM037/

type Made = Omit<Disguise, 'kind' | 'isEvidence'>

const FORM = 'application/x-www-form-urlencoded'
const named = <Value>(
  group: string,
  table: Readonly<Record<string, Value>>,
  make: (value: Value) => Made,
): Disguise[] =>
  Object.entries(table).map(([kind, value]) => ({
    kind: `${group}: ${kind}`,
    isEvidence: EVIDENCE.test(`${group}: ${kind}`),
    ...make(value),
  }))

const all = (request: Disguise['request']): Made => ({ attacks: ATTACKS, request })
const written = (languages: readonly string[]): Attack[] =>
  ATTACKS.filter(({ language }) => languages.includes(language))

export const DISGUISES: readonly Disguise[] = [
  ...named('text', OF_TEXT, (disguise) =>
    all((text) => post('application/json', JSON.stringify({ note: disguise(text) }))),
  ),
  ...named('text in a query', OF_TEXT, (disguise) => all((text) => get(`/?note=${percent(disguise(text))}`))),
  ...named('query', OF_WIRE, (disguise) => all((text) => get(`/?note=${disguise(text)}`))),
  ...named('form', OF_WIRE, (disguise) => all((text) => post(FORM, `note=${disguise(text)}`))),
  ...named('path', OF_WIRE, (disguise) => all((text) => get(`/docs/${disguise(text)}`))),
  ...named('language', OF_LANGUAGE, ({ languages, disguise }) => ({
    attacks: written(languages),
    request: (text) => get(`/?note=${percent(disguise(text))}`),
  })),
  ...named('place', OF_PLACE, all),
  ...named('place', STRADDLING, (request) => ({
    attacks: ATTACKS.filter(({ text }) => /[=&]/.test(text)),
    request,
  })),
  ...named('place', SPLIT, (request) => ({
    attacks: written(['sql']).filter(({ text }) => text.includes(' ')),
    request,
  })),
  ...named('body', OF_BODY, all),
  ...named('multipart', OF_MULTIPART, all),
]
