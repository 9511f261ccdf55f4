/**
 * Rules as this package runs them. libddwaf is given one rule per condition, so that the verdict on a value depends on
 * nothing but that value and can be remembered; what a rule of several conditions says is put together here.
 */
import type { Severity } from '@sallyport/contract'
import { isSignal, severityOf } from './rule-classes.ts'
import type { Rule, RuleCondition, RuleInput } from './rule-format.ts'

/** A rule, ready to be blamed. */
export interface CompiledRule {
  readonly id: string
  readonly name: string
  readonly class: string
  readonly severity: Severity
  /** Name of the tool that a match betrays, where the rule is a signal and no attack; otherwise empty. */
  readonly tool: string
  readonly isSignal: boolean
  readonly conditions: readonly CompiledCondition[]
  readonly sameValue: boolean
  /** Whether it says nothing of many values that are judged a line each. */
  readonly ownLines: boolean
}

export interface CompiledCondition {
  /** Index among all conditions; libddwaf knows it as the rule `c<index>`. */
  readonly index: number
  /** Parameters not looked at, by address. */
  readonly except: ReadonlyMap<string, RegExp>
}

/** What libddwaf is given. */
export interface EngineRule {
  readonly id: string
  readonly name: string
  readonly tags: { readonly type: string; readonly category: string }
  readonly conditions: readonly RuleCondition[]
  readonly transformers: readonly string[]
}

export interface CompiledRules {
  readonly rules: readonly CompiledRule[]
  readonly engineRules: readonly EngineRule[]
  /** By index of a condition, the rules that have it. */
  readonly rulesByCondition: readonly (readonly CompiledRule[])[]
  /** By index of a condition, the condition. */
  readonly conditions: readonly CompiledCondition[]
}

/** Takes rules apart into conditions. Of rules with the same id the last one counts. */
export function compileRules(rules: readonly Rule[]): CompiledRules {
  const byId = new Map(rules.map((rule) => [rule.id, rule]))
  const engineRules: EngineRule[] = []
  const conditions: CompiledCondition[] = []
  const compiled = [...byId.values()].map((rule) => {
    const own = rule.conditions.map((condition) => {
      engineRules.push(engineRule(condition, rule.transformers ?? [], conditions.length))
      const made = compiledCondition(condition, conditions.length)
      conditions.push(made)
      return made
    })
    return compiledRule(rule, own)
  })
  const rulesByCondition: CompiledRule[][] = conditions.map(() => [])
  for (const rule of compiled)
    for (const condition of rule.conditions) rulesByCondition[condition.index]?.push(rule)
  return { rules: compiled, engineRules, rulesByCondition, conditions }
}

/** What a rule betrays that knows a scanner and not which. */
const UNNAMED_TOOL = 'scanner'

const compiledRule = (rule: Rule, conditions: readonly CompiledCondition[]): CompiledRule => ({
  id: rule.id,
  name: rule.name,
  class: rule.tags.type,
  severity: severityOf(rule.tags.type, rule.tags.severity),
  tool: isSignal(rule.tags.type) ? (rule.tags.tool_name ?? UNNAMED_TOOL).toLowerCase().slice(0, 64) : '',
  isSignal: isSignal(rule.tags.type),
  conditions,
  sameValue: rule.same_value === true,
  ownLines: rule.own_lines === true,
})

const compiledCondition = (condition: RuleCondition, index: number): CompiledCondition => ({
  index,
  except: new Map(
    (condition.parameters.inputs ?? []).flatMap((input) =>
      input.except === undefined ? [] : [[input.address, new RegExp(input.except, 'i')] as const],
    ),
  ),
})

/** A type of its own for each, because libddwaf stops at the first match of a type. */
const engineRule = (
  condition: RuleCondition,
  transformers: readonly string[],
  index: number,
): EngineRule => ({
  id: `c${index}`,
  name: `c${index}`,
  tags: { type: `c${index}`, category: 'attack_attempt' },
  conditions: [
    {
      operator: condition.operator,
      parameters: {
        ...condition.parameters,
        inputs: (condition.parameters.inputs ?? []).map(engineInput),
      },
    },
  ],
  transformers,
})

const engineInput = ({ except: _, ...input }: RuleInput): RuleInput => input
