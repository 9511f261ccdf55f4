/** Which addresses a rule's variables are, with its transformations. */
import { ADDRESSES } from '../request/addresses.ts'
import type { RuleInput } from '../rules/rule-format.ts'
import { actionsOf, type SecRule, type SecVariable } from './seclang.ts'

/** Inputs, or why a variable has no counterpart here. */
export type Inputs =
  | { readonly inputs: readonly RuleInput[]; readonly notes: readonly string[] }
  | { readonly refused: string }

const ARGUMENTS = [ADDRESSES.query, ADDRESSES.body]
const COOKIES = [ADDRESSES.cookie]

/** Collections of ModSecurity, as the addresses that hold the same. */
const COLLECTIONS: Readonly<Record<string, readonly string[]>> = {
  ARGS: ARGUMENTS,
  ARGS_GET: [ADDRESSES.query],
  ARGS_POST: [ADDRESSES.body],
  ARGS_NAMES: [ADDRESSES.parameterNames],
  ARGS_GET_NAMES: [ADDRESSES.parameterNames],
  ARGS_POST_NAMES: [ADDRESSES.parameterNames],
  REQUEST_COOKIES: COOKIES,
  REQUEST_COOKIES_NAMES: [ADDRESSES.cookieNames],
  REQUEST_HEADERS: [ADDRESSES.header, ADDRESSES.cookie, ADDRESSES.cookieNames],
  REQUEST_HEADERS_NAMES: [ADDRESSES.headerNames],
  REQUEST_FILENAME: [ADDRESSES.filename],
  REQUEST_BASENAME: [ADDRESSES.path],
  REQUEST_URI: [ADDRESSES.target],
  REQUEST_URI_RAW: [ADDRESSES.target],
  REQUEST_LINE: [ADDRESSES.target, ADDRESSES.filename, ADDRESSES.query],
  QUERY_STRING: [ADDRESSES.target, ADDRESSES.query, ADDRESSES.parameterNames],
  REQUEST_BODY: [ADDRESSES.body, ADDRESSES.parameterNames, ADDRESSES.elementNames],
  REQUEST_METHOD: [ADDRESSES.method],
  XML: [ADDRESSES.body],
  FILES: [ADDRESSES.fileName],
  FILES_NAMES: [ADDRESSES.fileFields],
}

/** Transformations by libddwaf's names; empty for those that every value has undergone already (see `decoded-variants.ts`). */
const TRANSFORMATIONS: Readonly<Record<string, string>> = {
  lowercase: 'lowercase',
  urldecode: 'urlDecode',
  urldecodeuni: 'urlDecodeUni',
  htmlentitydecode: 'htmlEntityDecode',
  jsdecode: 'jsDecode',
  cssdecode: 'cssDecode',
  removenulls: 'removeNulls',
  compresswhitespace: 'compressWhiteSpace',
  normalisepath: 'normalizePath',
  normalizepath: 'normalizePath',
  normalisepathwin: 'normalizePathWin',
  normalizepathwin: 'normalizePathWin',
  cmdline: 'cmdLine',
  base64decode: 'base64Decode',
  removecomments: 'removeComments',
  utf8tounicode: '',
  replacecomments: '',
  escapeseqdecode: '',
}

/** Says where a rule looks. */
export function inputsOf(rule: SecRule): Inputs {
  const transformed = transformersOf(rule)
  if ('refused' in transformed) return transformed
  const except = new Map<string, string>()
  for (const variable of rule.variables)
    if (variable.negated) except.set(variable.collection, exceptionOf(variable.selector))
  const inputs = new Map<string, RuleInput>()
  for (const variable of rule.variables) {
    if (variable.negated) continue
    const found = inputsOfVariable(variable, except.get(variable.collection), transformed.transformers)
    if ('refused' in found) return found
    for (const input of found.inputs) inputs.set(`${input.address} ${input.key_path ?? ''}`, input)
  }
  const final = [...inputs.values()]
  const staged = rule.actions.some(({ name }) => name.toLowerCase() === 'multimatch')
  return { inputs: staged ? final.flatMap(stagesOf) : final, notes: transformed.notes }
}

/** `multiMatch`: the value is judged after each transformation, and not only after the last. */
const stagesOf = (input: RuleInput): RuleInput[] =>
  [...(input.transformers ?? []), ''].map((_, stage, all): RuleInput => {
    const { transformers: _all, ...untransformed } = input
    return stage === 0 ? untransformed : { ...input, transformers: all.slice(0, stage) }
  })

function inputsOfVariable(
  variable: SecVariable,
  except: string | undefined,
  transformers: readonly string[],
): { readonly inputs: readonly RuleInput[] } | { readonly refused: string } {
  const addresses = COLLECTIONS[variable.collection]
  if (!addresses) return { refused: `there is nothing like ${variable.collection} here` }
  if (variable.counted) return { refused: `counts ${variable.collection}` }
  const more = { ...(transformers.length > 0 && { transformers }), ...(except !== undefined && { except }) }
  if (variable.selector === '' || variable.collection === 'XML')
    return { inputs: addresses.map((address) => ({ address, ...more })) }
  if (variable.collection === 'REQUEST_HEADERS' && !variable.selector.startsWith('/'))
    return { inputs: [{ address: ADDRESSES.header, key_path: [variable.selector.toLowerCase()], ...more }] }
  return { refused: `looks at one value of ${variable.collection} alone` }
}

/** `/__utm/` is an expression; anything else one name. */
const exceptionOf = (selector: string): string => {
  const expression = /^\/(.*)\/$/.exec(selector)?.[1]
  return expression ?? `^${selector.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`
}

function transformersOf(
  rule: SecRule,
):
  | { readonly transformers: readonly string[]; readonly notes: readonly string[] }
  | { readonly refused: string } {
  let transformers: string[] = []
  const notes: string[] = []
  for (const name of actionsOf(rule, 't')) {
    const lower = name.toLowerCase()
    if (lower === 'none') transformers = []
    else if (lower === 'removewhitespace') {
      transformers.push('compressWhiteSpace')
      notes.push('whitespace is compressed, not removed')
    } else {
      const known = TRANSFORMATIONS[lower]
      if (known === undefined) return { refused: `there is no transformation like ${name} here` }
      if (known !== '') transformers.push(known)
    }
  }
  return { transformers, notes }
}
