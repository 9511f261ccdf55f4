/**
 * The rule set that libddwaf's makers maintain, as it ships in the `dd-trace` package: loaded from the dependency, so
 * that updating the dependency updates the rules.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ADDRESSES, isKnownAddress } from '../request/addresses.ts'
import { parseRuleSet, type Rule, type RuleInput, type RuleSet } from './rule-format.ts'

const FILE = 'dd-trace/packages/dd-trace/src/appsec/recommended.json'

/** Categories of rules that look at something other than a request: runtime hooks and lists of blocked addresses. */
const OTHER_CATEGORIES = new Set(['vulnerability_trigger', 'security_response'])

/**
 * Rules of the set that are not taken: each fires on what ordinary applications and ordinary prose send (a word before
 * a parenthesis, a semicolon before a word that is also a program, an XML declaration, `href=`, numbers in parentheses, a function
 * called `close`, a placeholder in a template string, `javascript:3.4.1` as a name with a version). What they are after is in our own pack in a narrower form.
 *
 * `dog-920-001` looks for unsigned tokens in base64, by an expression that takes 14 ms for 4 KB of `eyeyey…`. Here tokens are
 * decoded before they are judged.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'strc-932-100',
  'strc-932-115',
  'strc-932-130',
  'strc-932-150',
  'strc-933-180',
  'strc-941-100',
  'strc-941-130',
  'strc-941-150',
  'strc-942-151',
  'strc-942-190',
  'strc-942-350',
  'strc-942-230',
  'strc-941-160',
  'sqr-000-002',
  'strc-921-120',
  'dog-920-100',
  'crs-933-160',
  'crs-934-100',
  'crs-934-101',
  'dog-000-002',
  'strc-942-170',
  'crs-941-390',
  'crs-942-100',
  'crs-942-270',
  'dog-920-001',
  'crs-941-170',
  'crs-941-210',
])

/** Rules that the set files under scanners, but whose match is an attack. */
const RECLASSIFIED: Readonly<Record<string, string>> = {
  'dog-913-014': 'access_control_bypass',
  'crs-943-100': 'session_fixation',
}

/** Rules that look for what pages of documentation are named after, and so not in paths. */
const NOT_OF_PATHS: ReadonlySet<string> = new Set(['crs-941-180'])

/** The maintained rules that judge requests, with cookies and the decoded path added to where they look. */
export function maintainedRules(): RuleSet {
  const path = createRequire(import.meta.url).resolve(FILE)
  const { version, rules } = parseRuleSet(readFileSync(path, 'utf8'))
  return { version, metadata: { name: 'maintained' }, rules: rules.filter(judgesRequests).map(adapted) }
}

function judgesRequests(rule: Rule): boolean {
  if (OTHER_CATEGORIES.has(rule.tags.category) || LEFT_OUT.has(rule.id)) return false
  return rule.conditions.every((condition) =>
    (condition.parameters.inputs ?? []).some((input) => isKnownAddress(input.address)),
  )
}

function adapted(rule: Rule): Rule {
  const type = RECLASSIFIED[rule.id] ?? rule.tags.type
  const conditions = rule.conditions.map((condition) => {
    const inputs = (condition.parameters.inputs ?? []).filter(
      ({ address }) => isKnownAddress(address) && !(address === ADDRESSES.path && NOT_OF_PATHS.has(rule.id)),
    )
    return { ...condition, parameters: { ...condition.parameters, inputs: widened(inputs) } }
  })
  return { ...rule, tags: { ...rule.tags, type }, conditions }
}

/**
 * The set's rules expect parameters as nested objects and find names by `keys_only`; here values are flat and names
 * have an address of their own. What is judged in a query is judged in cookies and other
 * texts, too.
 */
function widened(inputs: readonly RuleInput[]): RuleInput[] {
  const result = new Map<string, RuleInput>()
  const add = (input: RuleInput): void => {
    result.set(`${input.address} ${input.key_path ?? ''} ${input.transformers ?? ''}`, input)
  }
  for (const input of inputs) {
    if (input.transformers?.includes('keys_only')) {
      const transformers = input.transformers.filter((name) => name !== 'keys_only')
      add({ address: ADDRESSES.parameterNames, ...(transformers.length > 0 && { transformers }) })
      continue
    }
    add(input)
    if (input.address === ADDRESSES.query)
      for (const address of [ADDRESSES.cookie, ADDRESSES.otherText]) add({ ...input, address })
  }
  return [...result.values()]
}
