/** Takes the text of parameters apart, as their styles say (OpenAPI 3.1, "Style Values"). */
import { SentText } from '../schema/values.ts'
import type { TableParameter } from '../table.ts'
import type { SentPair } from './pairs.ts'
import type { Shape } from './parameter-shapes.ts'

const SEPARATORS: Readonly<Record<string, string>> = {
  spaceDelimited: ' ',
  pipeDelimited: '|',
  tabDelimited: '\t',
}

/** A name as objects are sent in `deepObject`. */
const DEEP_NAME = /^([^[\]]*)((?:\[[^[\]]*\])+)$/
const DEEP_STEPS_MAX = 8

/** Raised where a value cannot be taken apart as its style says. */
export class MalformedValueError extends Error {
  override readonly name = 'MalformedValueError'
}

/** The value that one text is, in a shape. */
export function sentValue({ style, explode, name }: TableParameter, sent: string, shape: Shape): unknown {
  if (style === 'json') return parsedJson(sent)
  let text = sent
  let separator = SEPARATORS[style] ?? ','
  if (style === 'label') {
    text = withoutPrefix(text, '.')
    if (explode) separator = '.'
  } else if (style === 'matrix') {
    if (explode && shape !== 'text') return exploded(withoutPrefix(text, ';'), ';', shape, name)
    text = withoutPrefix(text, `;${name}=`)
  }
  if (shape === 'text') return new SentText(text)
  const pieces = text === '' ? [] : text.split(separator)
  if (shape === 'list') return pieces.map((piece) => new SentText(piece))
  return explode ? exploded(text, separator, shape, name) : pairedUp(pieces)
}

function withoutPrefix(text: string, prefix: string): string {
  if (!text.startsWith(prefix)) throw new MalformedValueError(`does not begin with ${prefix.slice(0, 64)}`)
  return text.slice(prefix.length)
}

function exploded(text: string, separator: string, shape: Shape, name: string): unknown {
  const pairs = text.split(separator).map((piece) => {
    const equals = piece.indexOf('=')
    if (equals === -1) throw new MalformedValueError('has a member without a value')
    return [piece.slice(0, equals), new SentText(piece.slice(equals + 1))] as const
  })
  if (shape === 'object') return Object.fromEntries(pairs)
  if (pairs.some(([each]) => each !== name)) throw new MalformedValueError('has an item of another name')
  return pairs.map(([, value]) => value)
}

function pairedUp(pieces: readonly string[]): Readonly<Record<string, SentText>> {
  if (pieces.length % 2 === 1) throw new MalformedValueError('has a name without a value')
  return Object.fromEntries(
    pieces.flatMap((piece, index) =>
      index % 2 === 0 ? [[piece, new SentText(pieces[index + 1] ?? '')] as const] : [],
    ),
  )
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new MalformedValueError('is no JSON')
  }
}

/** The object that pairs such as `filter[name]=x` are together. */
export function deepObjectOf(name: string, pairs: readonly SentPair[]): Readonly<Record<string, unknown>> {
  const root = new Map<string, unknown>()
  for (const pair of pairs) {
    const [, base, brackets = ''] = DEEP_NAME.exec(pair.name) ?? []
    if (base !== name) throw new MalformedValueError('is no object')
    const steps = brackets.slice(1, -1).split('][')
    if (steps.length > DEEP_STEPS_MAX) throw new MalformedValueError('is nested too deep')
    place(root, steps, new SentText(pair.value))
  }
  return plain(root) as Readonly<Record<string, unknown>>
}

function place(root: Map<string, unknown>, steps: readonly string[], value: SentText): void {
  let at = root
  for (const [index, step] of steps.entries()) {
    const isLast = index === steps.length - 1
    const present = at.get(step)
    if (isLast) {
      // A name that comes again makes a list, as most who read this have it; so does one that is empty.
      if (Array.isArray(present)) present.push(value)
      else at.set(step, present === undefined ? value : [present, value])
    } else if (present instanceof Map) at = present
    else if (present === undefined) {
      const next = new Map<string, unknown>()
      at.set(step, next)
      at = next
    } else throw new MalformedValueError('is both a value and an object')
  }
}

/** Members whose names are empty, or numbers from 0 on, are the items of a list. */
function plain(value: unknown): unknown {
  if (!(value instanceof Map)) return value
  const entries = [...value].map(([name, item]) => [name, plain(item)] as const)
  if (entries.length === 1 && entries[0]?.[0] === '') return [entries[0][1]].flat()
  if (entries.length > 0 && entries.every(([name], index) => name === String(index)))
    return entries.map(([, item]) => item)
  return Object.fromEntries(entries)
}
