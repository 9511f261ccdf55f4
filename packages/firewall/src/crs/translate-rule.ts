/** One rule of a CRS directory, in this package's format, or why it has no counterpart. */
import { ADDRESSES } from '../request/addresses.ts'
import type { Rule, RuleCondition, RuleInput } from '../rules/rule-format.ts'
import { rewriteRegex } from './regex-rewriting.ts'
import { type Inputs, inputsOf } from './request-inputs.ts'
import { actionOf, actionsOf, type SecOperator, type SecRule } from './seclang.ts'

/** What became of a rule. */
export type Translated =
  | { readonly rule: Rule; readonly notes: readonly string[] }
  | { readonly refused: string }

/** Reads the phrases of a data file that a rule names; undefined where there is none. */
export type ReadPhrases = (file: string) => readonly string[] | undefined

const CLASSES: readonly (readonly [string, string])[] = [
  ['attack-sqli', 'sql_injection'],
  ['attack-xss', 'xss'],
  ['attack-lfi', 'lfi'],
  ['attack-rfi', 'rfi'],
  ['attack-injection-php', 'php_code_injection'],
  ['attack-injection-nodejs', 'js_code_injection'],
  ['attack-injection-java', 'java_code_injection'],
  ['attack-injection-generic', 'code_injection'],
  ['attack-rce', 'command_injection'],
  ['attack-ssrf', 'ssrf'],
  ['attack-fixation', 'session_fixation'],
  ['attack-ldap', 'ldap_injection'],
  ['attack-reputation-scanner', 'security_scanner'],
  ['attack-reputation-scripting', 'security_scanner'],
]

const SEVERITIES: Readonly<Record<string, string>> = {
  CRITICAL: 'critical',
  ERROR: 'high',
  WARNING: 'medium',
  NOTICE: 'low',
}

/** Paranoia level that a rule belongs to; 1 where it says nothing. */
export const paranoiaOf = (rule: SecRule): number => {
  const tag = actionsOf(rule, 'tag').find((value) => value.startsWith('paranoia-level/'))
  return tag === undefined ? 1 : Number(tag.slice('paranoia-level/'.length))
}

/** Translates a rule with those chained to it. */
export function translateRule(rule: SecRule, readPhrases: ReadPhrases): Translated {
  const conditions: RuleCondition[] = []
  const notes: string[] = []
  let sameValue = false
  for (const link of [rule, ...rule.chained]) {
    const previous = conditions.at(-1)
    const foreign = previous && isForeignHostTest(link) ? foreignInputs(previous) : undefined
    if (previous && foreign) {
      conditions[conditions.length - 1] = withInputs(previous, foreign)
      notes.push('a URL of another host is told by its own address')
      continue
    }
    const looksAtMatch = link.variables.every(({ collection }) => /^MATCHED_VARS?$/.test(collection))
    const translated =
      looksAtMatch && previous
        ? conditionOnMatch(link, previous, readPhrases)
        : conditionOf(link, readPhrases)
    if ('refused' in translated) return translated
    if (looksAtMatch) sameValue = true
    conditions.push(translated.condition)
    notes.push(...translated.notes)
  }
  if (conditions.some(matchesNearlyAll)) return { refused: 'matches every value that is not as it should be' }
  return { rule: ruleOf(rule, conditions, sameValue), notes }
}

function ruleOf(rule: SecRule, conditions: readonly RuleCondition[], sameValue: boolean): Rule {
  const tags = actionsOf(rule, 'tag')
  const type = CLASSES.find(([tag]) => tags.includes(tag))?.[1] ?? 'http_protocol_violation'
  const severity = SEVERITIES[actionOf(rule, 'severity')?.toUpperCase() ?? '']
  return {
    id: `owasp-crs-${actionOf(rule, 'id') ?? ''}`,
    name: actionOf(rule, 'msg') ?? '',
    tags: {
      type,
      category: 'attack_attempt',
      paranoia_level: String(paranoiaOf(rule)),
      ...(severity !== undefined && { severity }),
    },
    conditions,
    ...(sameValue && { same_value: true }),
  }
}

type TranslatedCondition =
  | { readonly condition: RuleCondition; readonly notes: readonly string[] }
  | { readonly refused: string }

function conditionOf(link: SecRule, readPhrases: ReadPhrases): TranslatedCondition {
  const [variable] = link.variables
  // `&REQUEST_HEADERS:Referer "@eq 0"`: the request has no Referer.
  if (
    variable?.counted &&
    variable.collection === 'REQUEST_HEADERS' &&
    /^referer$/i.test(variable.selector)
  ) {
    if (link.operator.name !== 'eq' || link.operator.argument !== '0') return { refused: 'counts headers' }
    const parameters = { inputs: [{ address: ADDRESSES.absentReferer }], regex: '^absent$' }
    return { condition: { operator: 'match_regex', parameters }, notes: [] }
  }
  return withOperator(link.operator, inputsOf(link), readPhrases)
}

/** A chained rule about what the one before it matched: looks where that one looked, with its own transformations. */
function conditionOnMatch(
  link: SecRule,
  previous: RuleCondition,
  readPhrases: ReadPhrases,
): TranslatedCondition {
  const own = inputsOf({ ...link, variables: [] })
  if ('refused' in own) return own
  const transformed = inputsOf({
    ...link,
    variables: [{ negated: false, counted: false, collection: 'ARGS_GET', selector: '' }],
  })
  const transformers = 'refused' in transformed ? undefined : transformed.inputs[0]?.transformers
  const inputs = (previous.parameters.inputs ?? []).map(
    ({ transformers: _, ...input }): RuleInput => ({
      ...input,
      ...(transformers !== undefined && { transformers }),
    }),
  )
  return withOperator(link.operator, { inputs, notes: own.notes }, readPhrases)
}

function withOperator(operator: SecOperator, found: Inputs, readPhrases: ReadPhrases): TranslatedCondition {
  if ('refused' in found) return found
  const { inputs, notes } = found
  const sign = operator.negated ? '!' : ''
  const { argument } = operator
  const regex = (text: string): TranslatedCondition => {
    const parameters = { inputs, regex: text, options: { case_sensitive: true } }
    return { condition: { operator: `${sign}match_regex`, parameters }, notes }
  }
  const phrases = (list: readonly string[]): TranslatedCondition => {
    const lowered = inputs.map((input) => ({
      ...input,
      transformers: [...(input.transformers ?? []), 'lowercase'],
    }))
    const parameters = { inputs: lowered, list: list.map((phrase) => phrase.toLowerCase()) }
    return { condition: { operator: `${sign}phrase_match`, parameters }, notes }
  }
  const name = operator.name.toLowerCase()
  if (argument.includes('%{')) return { refused: `compares with ${argument}, a value of the request` }
  if (name === 'rx') {
    const rewritten = rewriteRegex(argument)
    return 'refused' in rewritten ? rewritten : regex(rewritten.regex)
  }
  if (name === 'pm') return phrases(argument.split(/\s+/).filter((phrase) => phrase !== ''))
  if (name === 'pmfromfile' || name === 'pmf') {
    const list = readPhrases(argument.trim())
    return list ? phrases(list) : { refused: `the file ${argument} cannot be read` }
  }
  if (name === 'detectsqli' || name === 'detectxss') {
    if (operator.negated) return { refused: 'negates libinjection' }
    return {
      condition: { operator: name === 'detectsqli' ? 'is_sqli' : 'is_xss', parameters: { inputs } },
      notes,
    }
  }
  const literal = argument.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  if (name === 'contains') return regex(literal)
  if (name === 'streq') return regex(`^${literal}$`)
  if (name === 'beginswith') return regex(`^${literal}`)
  if (name === 'endswith') return regex(`${literal}$`)
  return { refused: `there is no operator like @${operator.name} here` }
}

/**
 * A negated test of parameters would match nearly every one of them, and each would be judged by itself. Of one header or
 * the method it is as cheap as any other.
 */
const matchesNearlyAll = ({ operator, parameters }: RuleCondition): boolean =>
  operator.startsWith('!') &&
  !(parameters.inputs ?? []).every(({ address, key_path }) => key_path || address === ADDRESSES.method)

/** `TX:1 "!@endsWith %{request_headers.host}"`: what was captured is not the host of this request. */
const isForeignHostTest = (link: SecRule): boolean =>
  link.operator.negated &&
  link.operator.name.toLowerCase() === 'endswith' &&
  /^\.?%\{request_headers\.host\}$/i.test(link.operator.argument) &&
  link.variables.every(({ collection }) => collection === 'TX')

function foreignInputs(previous: RuleCondition): RuleInput[] | undefined {
  const inputs = previous.parameters.inputs ?? []
  if (inputs.every(({ address }) => address === ADDRESSES.query || address === ADDRESSES.body))
    return [{ address: ADDRESSES.foreignUrl }]
  if (inputs.every(({ key_path }) => key_path?.[0] === 'referer'))
    return [{ address: ADDRESSES.foreignReferer }]
  return undefined
}

const withInputs = (condition: RuleCondition, inputs: readonly RuleInput[]): RuleCondition => ({
  ...condition,
  parameters: { ...condition.parameters, inputs },
})
