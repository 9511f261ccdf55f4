/** Names in a query, with the types of their values. */

export type ValueType =
  | 'integer'
  | 'number'
  | 'boolean'
  | 'uuid'
  | 'date'
  | 'date-time'
  | 'email'
  | 'string'
  | 'unknown'

export interface QueryParameter {
  readonly name: string
  readonly type: ValueType
}

/** A request with more names than this looks for parameters and does not use them. */
const NAMES_MAX = 24
const NAME = /^[\w.~:@$[\]-]{1,64}$/
/** In the place of a value that the site keeps out of its record. */
const MASKED = '***'

/** The parameters of a target, each name once with the type of its first value; none where there are too many. */
export function queryParameters(target: string): QueryParameter[] {
  const start = target.indexOf('?')
  if (start === -1) return []
  const types = new Map<string, ValueType>()
  for (const pair of target.slice(start + 1).split('&', NAMES_MAX * 4)) {
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    if (name === undefined || !NAME.test(name) || types.has(name)) continue
    types.set(name, equals === -1 ? 'unknown' : valueType(decode(pair.slice(equals + 1))))
  }
  return types.size > NAMES_MAX ? [] : [...types].map(([name, type]) => ({ name, type }))
}

const TYPES: readonly (readonly [ValueType, RegExp])[] = [
  ['boolean', /^(?:true|false)$/i],
  ['integer', /^-?\d{1,15}$/],
  ['number', /^-?\d{1,20}\.\d{1,20}$/],
  ['uuid', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i],
  ['date', /^\d{4}-\d{2}-\d{2}$/],
  ['date-time', /^\d{4}-\d{2}-\d{2}T[\d:.]{5,20}(?:Z|[+-]\d{2}:?\d{2})?$/],
  ['email', /^[^@\s]{1,64}@[^@\s]{1,255}\.[^@\s]{1,63}$/],
]

/** The type of a decoded value; unknown where it says none. */
export function valueType(value: string | undefined): ValueType {
  if (value === undefined || value === '' || value === MASKED) return 'unknown'
  return TYPES.find(([, pattern]) => pattern.test(value))?.[0] ?? 'string'
}

function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
