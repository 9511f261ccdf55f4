/** Calls of the gate host's API: JSON in, where there is a body, and JSON out. */
import { GATE_BODY_BYTES_MAX, GATE_BODY_TYPE } from '@sallyport/contract/words'
import {
  type Answer,
  type BodyWanted,
  type Exchange,
  type Refusal,
  type Reply,
  refuse,
} from '../exchange/exchange.ts'
import { headerOf } from '../exchange/request-headers.ts'

/** A field of a body is not as it must be. */
class FieldError extends Error {}

/** The fields of a body, each read by what it must be. Reading throws where one is not. */
export interface Fields {
  /** A text of a form; `what` says of the form what a caller must know. */
  text(name: string, form: RegExp, what: string): string
  /** `false` where it is absent. */
  flag(name: string): boolean
}

/** Wants the body of a call, and answers by its fields. None but the ones named may be there. */
export function withFields(
  exchange: Exchange,
  names: readonly string[],
  answer: (fields: Fields) => Answer | Promise<Answer>,
): BodyWanted | Refusal {
  const [type = ''] = headerOf(exchange.request, 'content-type').split(';', 1)
  if (type.trim().toLowerCase() !== GATE_BODY_TYPE)
    return refuse(415, 'gate', 'invalid_field', { detail: `The body must be ${GATE_BODY_TYPE}.` })
  return {
    kind: 'body',
    bytesMax: GATE_BODY_BYTES_MAX,
    judge(body) {
      try {
        const answered = answer(readFields(body, names))
        return answered instanceof Promise ? answered.catch(refuseField) : answered
      } catch (error) {
        return refuseField(error)
      }
    },
  }
}

function refuseField(error: unknown): Refusal {
  if (!(error instanceof FieldError)) throw error
  return refuse(400, 'gate', 'invalid_field', { detail: error.message })
}

function readFields(body: Buffer, names: readonly string[]): Fields {
  const fields = new Map(Object.entries(parse(body)))
  for (const name of fields.keys())
    if (!names.includes(name)) throw new FieldError(`There is no field \`${name.slice(0, 64)}\`.`)
  return {
    text(name, form, what) {
      const value = fields.get(name)
      if (typeof value !== 'string' || !form.test(value)) throw new FieldError(`\`${name}\` must be ${what}.`)
      return value
    },
    flag(name) {
      const value = fields.get(name) ?? false
      if (typeof value !== 'boolean') throw new FieldError(`\`${name}\` must be true or false.`)
      return value
    },
  }
}

function parse(body: Buffer): object {
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    value = undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FieldError('The body must be an object in JSON.')
  return value
}

/** What no answer of the API may lack: it is for whom it was made, and nobody else. */
const UNKEPT = [
  ...['Cache-Control', 'no-store'],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ...['Referrer-Policy', 'no-referrer'],
]

/** An answer of the API; `recorded` where the call did something. */
export const json = (
  value: object,
  more: { readonly recorded?: boolean; readonly cookie?: string } = {},
): Reply => jsonText(JSON.stringify(value), more)

/** The same of JSON that is text already. */
export const jsonText = (
  body: string,
  { recorded = false, cookie }: { readonly recorded?: boolean; readonly cookie?: string } = {},
): Reply => ({
  kind: 'reply',
  status: body === '' ? 204 : 200,
  headers: [
    ...(body === '' ? [] : ['Content-Type', 'application/json']),
    ...UNKEPT,
    ...(cookie === undefined ? [] : ['Set-Cookie', cookie]),
  ],
  body,
  recorded,
})

/** There is no such thing, or none that this caller may know of. */
export const nothingHere = (status: 404 | 405 = 404): Refusal => refuse(status, 'gate', 'nothing_here')
