/**
 * The format of rule sets: libddwaf's own (https://github.com/DataDog/libddwaf), restricted to what reads a request,
 * plus a few members that this package evaluates itself, because the engine has no words for them.
 */

/** Where a condition looks. See `request/addresses.ts` for what each address holds. */
export interface RuleInput {
  readonly address: string
  /** Name of one header, lower case. Only for the headers' address. */
  readonly key_path?: readonly string[]
  readonly transformers?: readonly string[]
  /** Ours: values whose parameter name matches are not looked at. Case-insensitive. */
  readonly except?: string
}

export interface RuleCondition {
  /** `match_regex`, `phrase_match`, `is_sqli`, `is_xss`, `exact_match`; with `!` in front: some value is there and does not match. */
  readonly operator: string
  readonly parameters: {
    readonly inputs?: readonly RuleInput[]
    readonly regex?: string
    readonly list?: readonly string[]
    readonly options?: {
      readonly case_sensitive?: boolean
      readonly min_length?: number
      readonly enforce_word_boundary?: boolean
    }
  }
}

export interface Rule {
  readonly id: string
  readonly name: string
  readonly tags: {
    /** Class of attack, for example `sql_injection`. */
    readonly type: string
    readonly category: string
    /** Ours: overrides the severity that the class implies. */
    readonly severity?: string
    /** Name of the tool that the rule knows by its fingerprint. */
    readonly tool_name?: string
    readonly [tag: string]: string | undefined
  }
  /** All must match, each anywhere it looks. */
  readonly conditions: readonly RuleCondition[]
  /** Ours: all must match in one and the same value. */
  readonly same_value?: boolean
  /** Ours: it is about line breaks of a value's own, so it says nothing of many values that are judged a line each. */
  readonly own_lines?: boolean
  readonly transformers?: readonly string[]
}

export interface RuleSet {
  readonly version: string
  readonly metadata?: { readonly rules_version?: string; readonly name?: string }
  readonly rules: readonly Rule[]
}

/** Raised for text that is not a rule set. The message says what is wrong. */
export class InvalidRuleSetError extends Error {
  override readonly name = 'InvalidRuleSetError'
}

/** Reads a rule set from JSON text; `InvalidRuleSetError` where its shape is wrong. */
export function parseRuleSet(text: string): RuleSet {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new InvalidRuleSetError('the rule set is not valid JSON')
  }
  if (!isRecord(value) || !Array.isArray(value.rules))
    throw new InvalidRuleSetError('a rule set is an object with a list `rules`')
  const rules = value.rules.map((rule, index) => checkedRule(rule, index))
  return { version: typeof value.version === 'string' ? value.version : '2.2', rules }
}

function checkedRule(value: unknown, index: number): Rule {
  if (!isRecord(value) || typeof value.id !== 'string' || value.id === '')
    throw new InvalidRuleSetError(`rules[${index}] has no id`)
  if (!isRecord(value.tags) || typeof value.tags.type !== 'string')
    throw new InvalidRuleSetError(`rule ${value.id} has no tags.type`)
  if (!Array.isArray(value.conditions) || value.conditions.length === 0)
    throw new InvalidRuleSetError(`rule ${value.id} has no conditions`)
  for (const condition of value.conditions)
    if (!isRecord(condition) || typeof condition.operator !== 'string' || !isRecord(condition.parameters))
      throw new InvalidRuleSetError(`rule ${value.id} has a condition without operator or parameters`)
  // The checks above cover what this package reads; the engine checks operators, expressions and transformers.
  return value as unknown as Rule
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
