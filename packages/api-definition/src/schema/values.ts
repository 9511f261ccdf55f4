/** Values as schemas judge them. */

/** A value that was sent as text alone, in a path, query, header, cookie or form: what type it is of, its schema says. */
export class SentText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** What it may be read as. */
  readings(): readonly unknown[] {
    const { text } = this
    if (text === '') return ['', null]
    if (text === 'true' || text === 'false') return [text, text === 'true']
    return text.length <= NUMBER_CHARS_MAX && NUMBER.test(text) ? [text, Number(text)] : [text]
  }
}

/** A member of a form that came once: a list of one looks the same, and lists and objects may be written in one text. */
export class FormText extends SentText {
  /** Worked out once, however many schemas ask. */
  #readings: readonly unknown[] | undefined

  override readings(): readonly unknown[] {
    if (this.#readings) return this.#readings
    const { text } = this
    const pieces = text.split(',').map((piece) => new SentText(piece))
    const lists = pieces.length > 1 ? [[new SentText(text)], pieces] : [pieces]
    this.#readings = [...jsonIn(text), ...lists, ...super.readings()]
    return this.#readings
  }
}

function jsonIn(text: string): readonly unknown[] {
  if (!/^\s*[[{]/.test(text)) return []
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}

/** As JSON has it, and with zeros before it, which many readers of parameters take. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const NUMBER_CHARS_MAX = 64

export type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

export function typeOf(value: unknown): TypeName {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object'
}

/** Whether two values of JSON are the same. `spend` is told of each that is looked at. */
export function isSame(one: unknown, other: unknown, spend: (steps: number) => void): boolean {
  spend(typeof one === 'string' ? 1 + (one.length >> 10) : 1)
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => isSame(item, other[index], spend))
    )
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) &&
        isSame((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name], spend),
    )
  )
}

/** A text that two values share only where they are the same. `spend` is told of each value in it. */
export function keyOf(value: unknown, spend: (steps: number) => void, depth = 0): string {
  spend(depth > DEPTH_MAX ? Number.POSITIVE_INFINITY : 1)
  if (typeof value === 'string') spend(value.length >> 6)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? ''
  if (value instanceof SentText) return `t${JSON.stringify(value.text)}`
  if (Array.isArray(value)) return `[${value.map((item) => keyOf(item, spend, depth + 1)).join()}]`
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${keyOf(item, spend, depth + 1)}`).join()}}`
}

/** Deeper values are too much. */
const DEPTH_MAX = 200

/** Whether a number is a whole number of times another, by their digits as they are written. */
export function isMultiple(value: number, of: number): boolean {
  if (of <= 0 || !Number.isFinite(value)) return true
  const [one, other] = [decimalOf(value), decimalOf(of)]
  const places = Math.max(one.places, other.places)
  if (places > PLACES_MAX) return true
  const scaled = ({ digits, places: own }: Decimal): bigint => digits * 10n ** BigInt(places - own)
  return scaled(one) % scaled(other) === 0n
}
const PLACES_MAX = 400

interface Decimal {
  readonly digits: bigint
  /** Behind the point. */
  readonly places: number
}

function decimalOf(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  const places = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 }
}
