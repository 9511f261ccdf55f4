/**
 * The tests that conditions consist of. A condition looks at several addresses, at each after certain transformations; what it
 * does after the same ones is one test, wherever it looks. The engine knows a test by an address of its own, so that a run is
 * given exactly the tests and texts that are worth it.
 */
import type { AddressGroup } from '../request/addresses.ts'
import type { RequestValue } from '../request/request-value.ts'
import type { EngineRule } from '../rules/compiled-rules.ts'
import type { RuleInput } from '../rules/rule-format.ts'

/** A condition after one sequence of transformations. */
export interface ConditionTest {
  /** Index of the condition. */
  readonly condition: number
  /** Under which the engine is shown texts for this test alone. */
  readonly address: string
  readonly transformers: readonly string[]
  /** Where the condition looks with these transformations, as its rule says it. */
  readonly inputs: readonly RuleInput[]
}

/** The tests of a condition, in the order of its inputs. */
export function testsOf(rule: EngineRule, condition: number): ConditionTest[] {
  const byTransformers = new Map<string, RuleInput[]>()
  for (const input of rule.conditions[0]?.parameters.inputs ?? []) {
    const key = (input.transformers ?? rule.transformers).join()
    byTransformers.set(key, [...(byTransformers.get(key) ?? []), input])
  }
  return [...byTransformers].map(([key, inputs], index) => ({
    condition,
    address: `${condition}.${index}`,
    transformers: key === '' ? [] : key.split(','),
    inputs,
  }))
}

/** Whether an input looks at a value of a group; `name` is that of its header. */
export const looksAt = (
  { address, key_path }: RuleInput,
  { addresses }: AddressGroup,
  name: string,
): boolean => addresses.includes(address) && (key_path === undefined || key_path.includes(name))

/** The address at which a test finds a value, as its rule says it. */
export const addressOf = (
  { inputs }: ConditionTest,
  { group, parameter }: RequestValue,
): string | undefined => inputs.find((input) => looksAt(input, group, parameter))?.address

/** The rule as the engine is given it: with the addresses of its tests in the place of its own. */
export function ruleOfTests(rule: EngineRule, tests: readonly ConditionTest[]): EngineRule {
  const inputs = tests.map(({ address, transformers }) => ({ address, transformers }))
  const conditions = rule.conditions.map(({ operator, parameters }) => ({
    operator,
    parameters: { ...parameters, inputs },
  }))
  return { ...rule, conditions, transformers: [] }
}
