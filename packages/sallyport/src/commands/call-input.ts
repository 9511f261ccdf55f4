/**
 * What is typed after the name of an operation, as the input of its call: bare values are the identifiers of its path in
 * their order, `name=value` is a field as text and `name:=value` a field as JSON. A name belongs to the path, the query
 * or the body, whichever has it; given again it makes a list.
 */
import type { Operation } from '@sallyport/contract'
import { z } from 'zod'
import { OperatorError } from '../operator-error.ts'

export interface CallInput {
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

type Fields = Record<string, unknown>

/** Throws an `OperatorError` that says which names there are. `body` is a whole body that was given otherwise. */
export function readCallInput(operation: Operation, typed: readonly string[], body?: unknown): CallInput {
  const places = placesOf(operation)
  const input = { params: {} as Fields, query: {} as Fields, body: {} as Fields }
  const ids = places.params.values()
  for (const word of typed) {
    const [, name = '', sign = '', text = ''] = /^([A-Za-z]\w*)(:?=)(.*)$/s.exec(word) ?? []
    if (sign === '') {
      const next = ids.next().value
      if (next === undefined)
        throw new OperatorError(`${operation.id} takes no more than ${usageOf(operation)}`)
      input.params[next] = word
    } else {
      const place = (['params', 'query', 'body'] as const).find((one) => places[one].has(name))
      if (!place) throw new OperatorError(`${operation.id} has no ${name}; it takes ${usageOf(operation)}`)
      setField(input[place], name, sign === '=' ? text : readJson(name, text))
    }
  }
  const missing = [...places.params].filter((name) => !(name in input.params))
  if (missing.length > 0) throw new OperatorError(`${operation.id} needs ${missing.join(', ')}`)
  const hasFields = Object.keys(input.body).length > 0
  if (hasFields && body !== undefined) throw new OperatorError('give either --body or fields of it')
  const { params, query } = input
  return body === undefined && !hasFields ? { params, query } : { params, query, body: body ?? input.body }
}

/** How an operation is typed, in one line. */
export function usageOf(operation: Operation): string {
  const { params, query, body } = placesOf(operation)
  const fields = [...query, ...body].map((name) => `${name}=`)
  const whole = operation.body !== undefined && body.size === 0 ? ['--body'] : []
  return [...[...params].map((name) => `<${name}>`), ...fields, ...whole].join(' ') || 'nothing'
}

function placesOf({ path, query, body }: Operation) {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  return {
    params: new Set(named),
    query: new Set(Object.keys(query?.shape ?? {})),
    body: new Set(body ? fieldsOf(body) : []),
  }
}

function fieldsOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodOptional) return fieldsOf(schema.unwrap() as z.ZodType)
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

function setField(fields: Fields, name: string, value: unknown): void {
  const known = fields[name]
  if (known === undefined) fields[name] = value
  else fields[name] = Array.isArray(known) ? [...known, value] : [known, value]
}

function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new OperatorError(`the value of ${name}:= is not JSON`)
  }
}
