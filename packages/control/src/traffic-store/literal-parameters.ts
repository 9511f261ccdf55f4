/**
 * Values of a statement as part of its text, for the engine in this process.
 *
 * chDB keeps bound values in state of the whole process, so its binding runs statements with values one after the other:
 * the slowest report would delay all other reading, and the question whether a batch is stored already. Text has no such
 * state. A string is written in hexadecimal, which cannot end a literal whatever the string holds.
 */

/** Values for the `{name:Type}` placeholders of a query. Nothing a caller sent ever reaches SQL in another way. */
export type QueryParameters = Readonly<Record<string, unknown>>

const PLACEHOLDER = /\{(\w+):(\w+|Array\(\w+\))\}/g
const INTEGER_TYPE = /^U?Int(?:8|16|32|64)$/
const ARRAY_TYPE = /^Array\((\w+)\)$/

/** The statement with each `{name:Type}` replaced by its value: strings, integers and arrays of them. */
export function withLiterals(sql: string, parameters: QueryParameters): string {
  return sql.replaceAll(PLACEHOLDER, (_placeholder, name: string, type: string) =>
    literalOf(type, parameters[name]),
  )
}

function literalOf(type: string, value: unknown): string {
  const [, itemType] = ARRAY_TYPE.exec(type) ?? []
  if (itemType && Array.isArray(value))
    return `CAST([${value.map((item) => literalOf(itemType, item)).join(', ')}], '${type}')`
  if (type === 'String' && typeof value === 'string')
    return `unhex('${Buffer.from(value, 'utf8').toString('hex')}')`
  if (INTEGER_TYPE.test(type) && Number.isSafeInteger(value)) return `to${type}(${value})`
  throw new TypeError(`a ${typeof value} is no value for a placeholder of type ${type}`)
}
