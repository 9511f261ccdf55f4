/**
 * Whether a batch's line says a valid request: what `trafficRequestSchema` says, as compiled statements, because it is asked
 * for every request that goes through any gateway and a schema takes ten times as long to answer. A test holds the two together.
 */
import type { RequestCandidate } from '../batch-lines.ts'
import { compile } from '../compile.ts'
import type { TrafficRequest } from '../event.ts'
import type { FieldType } from '../field.ts'
import { TRAFFIC_FIELDS, trafficRequestFields } from '../fields.ts'
import { UUID } from '../values.ts'

/** What the statements need beside the value that they check: lists of words, and checks of items. */
type Constants = Record<string, unknown>

const constant = (constants: Constants, value: unknown): string => {
  const name = `constant${Object.keys(constants).length}`
  constants[name] = value
  return name
}

/** An expression that says whether a value is of a type and keeps its bound. */
function checkOf(value: string, type: FieldType, constants: Constants): string {
  switch (type.kind) {
    case 'uuid':
      return `typeof ${value} === 'string' && ${constant(constants, UUID)}.test(${value})`
    case 'text': {
      const least = type.charsMin > 0 ? ` && ${value}.length >= ${type.charsMin}` : ''
      return `typeof ${value} === 'string' && ${value}.length <= ${type.charsMax}${least}`
    }
    case 'word':
      return `${constant(constants, type.words)}.includes(${value})`
    case 'integer':
      return `Number.isSafeInteger(${value}) && ${value} >= ${type.min} && ${value} <= ${type.max}`
    case 'flag':
      return `typeof ${value} === 'boolean'`
    case 'texts': {
      const isItem = compileCheck({ kind: 'text', charsMin: 0, charsMax: type.charsMax })
      return listCheck(value, type.itemsMax, isItem, constants)
    }
    case 'objects': {
      const inner: Constants = {}
      const members = Object.entries(type.fields).map(([name, field]) =>
        checkOf(`value.${name}`, field.type, inner),
      )
      const isObject = ["typeof value === 'object'", 'value !== null', ...members].join(' && ')
      return listCheck(value, type.itemsMax, compile('value', isObject, inner), constants)
    }
  }
}

function compileCheck(type: FieldType): (value: unknown) => boolean {
  const constants: Constants = {}
  return compile('value', checkOf('value', type, constants), constants)
}

const listCheck = (value: string, itemsMax: number, isItem: unknown, constants: Constants): string =>
  `Array.isArray(${value}) && ${value}.length <= ${itemsMax} && ${value}.every(${constant(constants, isItem)})`

const constants: Constants = {}
const checks = trafficRequestFields.map((name) =>
  checkOf(`request.${name}`, TRAFFIC_FIELDS[name].type, constants),
)

export const isValidRequest: (candidate: RequestCandidate) => candidate is TrafficRequest = compile(
  'request',
  checks.join(' && '),
  constants,
)
