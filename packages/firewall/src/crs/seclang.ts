/**
 * Reads SecLang, the language of ModSecurity's rules, as far as rules need it: `SecRule` with its variables, operator
 * and actions, chained rules together. Other directives configure the engine and are passed over.
 */

/** A `SecRule`, and those chained to it. */
export interface SecRule {
  readonly variables: readonly SecVariable[]
  readonly operator: SecOperator
  readonly actions: readonly SecAction[]
  readonly chained: readonly SecRule[]
}

/** `!REQUEST_COOKIES:/__utm/` is negated, of the collection REQUEST_COOKIES, with the selector `/__utm/`. */
export interface SecVariable {
  readonly negated: boolean
  /** `&ARGS`: the number of values and not the values. */
  readonly counted: boolean
  readonly collection: string
  readonly selector: string
}

export interface SecOperator {
  readonly negated: boolean
  /** Without the `@`; `rx` where none is written. */
  readonly name: string
  readonly argument: string
}

export interface SecAction {
  readonly name: string
  readonly value: string
}

/** Reads the rules of one file, in order. */
export function parseSecLang(text: string): SecRule[] {
  const rules: SecRule[] = []
  let chain: SecRule[] = []
  for (const line of logicalLines(text)) {
    const rule = parseDirective(line)
    if (!rule) continue
    chain.push(rule)
    if (actionOf(rule, 'chain') !== undefined) continue
    const [first, ...chained] = chain
    if (first) rules.push({ ...first, chained })
    chain = []
  }
  return rules
}

/** Value of an action; undefined where the rule does not have it. */
export const actionOf = (rule: SecRule, name: string): string | undefined =>
  rule.actions.find((action) => action.name.toLowerCase() === name)?.value

/** All values of an action that may be repeated. */
export const actionsOf = (rule: SecRule, name: string): string[] =>
  rule.actions.filter((action) => action.name.toLowerCase() === name).map((action) => action.value)

/** Lines with those that end in a backslash joined, without comments and empty ones. */
function logicalLines(text: string): string[] {
  return text
    .replace(/^\s*#.*$/gm, '')
    .replace(/\\\r?\n\s*/g, ' ')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function parseDirective(line: string): SecRule | undefined {
  const [directive, variables, operator, actions = ''] = words(line)
  if (directive?.toLowerCase() !== 'secrule' || variables === undefined || operator === undefined)
    return undefined
  return {
    variables: parseVariables(variables),
    operator: parseOperator(operator),
    actions: parseActions(actions),
    chained: [],
  }
}

/** Splits a directive into its words; quoted ones may hold spaces, and `\"` for a quote. */
function words(line: string): string[] {
  const found: string[] = []
  for (const match of line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g))
    found.push(match[1] === undefined ? (match[2] ?? '') : match[1].replace(/\\"/g, '"'))
  return found
}

function parseVariables(text: string): SecVariable[] {
  return text.split(/\|(?![^/]*\/(?:\||$))/).map((piece) => {
    const [, sign = '', collection = '', selector = ''] =
      /^([!&]*)([^:]+)(?::(.*))?$/.exec(piece.trim()) ?? []
    return {
      negated: sign.includes('!'),
      counted: sign.includes('&'),
      collection: collection.toUpperCase(),
      selector: selector.replace(/^'(.*)'$/, '$1'),
    }
  })
}

function parseOperator(text: string): SecOperator {
  const [, sign = '', name, argument = ''] = /^(!?)(?:@(\w+)\s*)?([\s\S]*)$/.exec(text) ?? []
  return {
    negated: sign === '!',
    name: name ?? 'rx',
    argument: name === undefined ? argument : argument.trimEnd(),
  }
}

function parseActions(text: string): SecAction[] {
  const actions: SecAction[] = []
  for (const match of text.matchAll(/([\w]+)(?::(?:'((?:[^'\\]|\\.)*)'|([^,]*)))?\s*(?:,|$)/g))
    actions.push({ name: match[1] ?? '', value: (match[2] ?? match[3] ?? '').trim() })
  return actions
}
