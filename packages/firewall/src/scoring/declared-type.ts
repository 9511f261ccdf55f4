/**
 * What a site's API definition adds to the evidence: a value that is declared to be a number, a boolean, a UUID or a date and is none has
 * little reason to hold what attacks are spelled with. Only of sites that have such a definition; elsewhere none of this is looked at.
 *
 * Not fitted, because honest traffic of an API has no such values: the weights are chosen so that a rule of these and the sign are a hit
 * at `balanced` (score 0.62) and none at `watch`, and so that the sign lifts what a rule of 2 or more has found to `balanced`.
 */
import type { Severity } from '@sallyport/contract/words'
import type { RequestPart } from '../request/addresses.ts'
import type { RequestValue } from '../request/request-value.ts'
import { severityOf } from '../rules/rule-classes.ts'

/** A value of another type than its parameter is declared to be of. */
export interface MistypedValue {
  readonly part: RequestPart
  readonly parameter: string
  readonly text: string
}

/** Set where rules matched in such a value. */
export const OTHER_TYPE = 1 << 29
export const OTHER_TYPE_NAME = 'of another type than declared'
export const OTHER_TYPE_WEIGHT = 2
const RULE_WEIGHT = 2.5

/** What of a rule hits are made of. */
export interface DeclaredTypeRule {
  readonly id: string
  readonly name: string
  readonly class: string
  readonly severity: Severity
}

interface TypeRule {
  readonly rule: DeclaredTypeRule
  readonly expression: RegExp
}

const typeRule = (id: string, name: string, className: string, expression: RegExp): TypeRule => ({
  rule: { id, name, class: className, severity: severityOf(className, undefined) },
  expression,
})

const TYPE_RULES: readonly TypeRule[] = [
  typeRule(
    'sp-type-sql',
    'Characters of SQL where another type is declared',
    'sql_injection',
    /['"`;]|--|\/\*|\b(?:or|and|union|select|sleep|waitfor|benchmark)\b/i,
  ),
  typeRule(
    'sp-type-command',
    'Characters of a shell where another type is declared',
    'command_injection',
    /[;|`]|&&|\$\(/,
  ),
  typeRule('sp-type-markup', 'Markup where another type is declared', 'xss', /<|&lt;|javascript:/i),
  typeRule('sp-type-path', 'A path where another type is declared', 'lfi', /\.\.[/\\]|^[/\\]\w|^\w:[/\\]/),
  typeRule(
    'sp-type-template',
    'A template where another type is declared',
    'template_injection',
    /\{\{|\$\{|<%|#\{/,
  ),
]

const WEIGHTS = new Map(TYPE_RULES.map(({ rule }) => [rule.id, RULE_WEIGHT]))
/** Of a rule of these; undefined of any other. */
export const typeRuleWeight = (id: string): number | undefined => WEIGHTS.get(id)

/** A longer text is looked at up to here. */
const CHARS_MAX = 1_024

/** The rules that match in such a value, with what did. */
export function typeRulesIn({ text }: MistypedValue): readonly (readonly [DeclaredTypeRule, string])[] {
  const looked = text.slice(0, CHARS_MAX)
  return TYPE_RULES.filter(({ expression }) => expression.test(looked)).map(({ rule }) => [rule, looked])
}

/** Whether a value that rules matched in is one of these. In a path values have no names. */
export const isMistyped = (
  mistyped: readonly MistypedValue[],
  { part, parameter, text }: RequestValue,
): boolean => mistyped.some((one) => one.part === part && (one.parameter === parameter || one.text === text))
