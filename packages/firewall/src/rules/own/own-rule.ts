/** How the rules of our own pack are written: libddwaf's format, with the repetition taken out. */
import { ADDRESSES } from '../../request/addresses.ts'
import type { Rule, RuleCondition, RuleInput } from '../rule-format.ts'

const at = (address: string): RuleInput => ({ address })
const header = (name: string): RuleInput => ({ address: ADDRESSES.header, key_path: [name] })

/** Values only; for expressions that ordinary names would match. */
export const VALUES: readonly RuleInput[] = [
  at(ADDRESSES.query),
  at(ADDRESSES.body),
  at(ADDRESSES.cookie),
  at(ADDRESSES.otherText),
]
/** Where senders put values and names of their choice. */
export const PARAMETERS: readonly RuleInput[] = [
  ...VALUES,
  at(ADDRESSES.parameterNames),
  at(ADDRESSES.cookieNames),
]
/** Segments of the path. */
export const SEGMENTS: readonly RuleInput[] = [at(ADDRESSES.path)]
export const NAMES: readonly RuleInput[] = [at(ADDRESSES.parameterNames)]
/** Parameters, path segments, and the headers that applications log or show. */
export const REFLECTED: readonly RuleInput[] = [
  ...PARAMETERS,
  at(ADDRESSES.path),
  header('user-agent'),
  header('referer'),
]
/** Everything that is text, every header among it. */
export const ANYWHERE: readonly RuleInput[] = [
  ...PARAMETERS,
  at(ADDRESSES.path),
  at(ADDRESSES.header),
  at(ADDRESSES.fileName),
]
export const PATHS: readonly RuleInput[] = [at(ADDRESSES.filename)]
/** Names of uploaded files, those in headers among them. */
export const FILE_NAMES: readonly RuleInput[] = [at(ADDRESSES.fileName)]
export const FILE_CONTENT: readonly RuleInput[] = [at(ADDRESSES.fileContent)]
export const FOREIGN_REFERER: readonly RuleInput[] = [at(ADDRESSES.foreignReferer)]

/** What a rule looks for: an expression (RE2, case-insensitive), or a list of phrases. */
export type Pattern =
  | { readonly regex: string; readonly caseSensitive?: boolean }
  | { readonly phrases: readonly string[]; readonly words?: boolean }

/** One condition: a pattern, where, and after which transformations. */
export const condition = (
  inputs: readonly RuleInput[],
  pattern: Pattern,
  transformers: readonly string[] = [],
): RuleCondition => {
  const shown = transformers.length === 0 ? inputs : inputs.map((input) => ({ ...input, transformers }))
  if ('regex' in pattern) {
    const options = { case_sensitive: pattern.caseSensitive === true }
    return { operator: 'match_regex', parameters: { inputs: shown, regex: pattern.regex, options } }
  }
  const options = { enforce_word_boundary: pattern.words === true }
  return { operator: 'phrase_match', parameters: { inputs: shown, list: pattern.phrases, options } }
}

/** A rule of our pack. The id begins with `sp-`. */
export const ownRule = (
  id: string,
  type: string,
  name: string,
  conditions: readonly RuleCondition[],
  more: { readonly severity?: string; readonly sameValue?: boolean; readonly ownLines?: boolean } = {},
): Rule => ({
  id: `sp-${id}`,
  name,
  tags: { type, category: 'attack_attempt', ...(more.severity !== undefined && { severity: more.severity }) },
  conditions,
  ...(more.sameValue === true && { same_value: true }),
  ...(more.ownLines === true && { own_lines: true }),
})
