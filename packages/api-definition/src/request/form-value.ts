/** The object that a form is: a name that comes again is a list, and so is one that ends with `[]`. */
import { FormText } from '../schema/values.ts'
import type { SentPair } from './pairs.ts'
import { deepObjectOf } from './parameter-values.ts'

/**
 * Names in brackets are members of what is named before them, as most frameworks read them, but for those that are declared as they
 * are. Throws a `MalformedValueError` where a name is both a value and an object: which one counts depends on who reads it.
 */
export function formValue(
  pairs: readonly SentPair[],
  declared: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const members = new Map<string, SentPair[]>()
  for (const pair of pairs) {
    const bracket = declared.has(pair.name) ? -1 : pair.name.indexOf('[', 1)
    const name = bracket === -1 ? pair.name : pair.name.slice(0, bracket)
    const known = members.get(name)
    if (known) known.push(pair)
    else members.set(name, [pair])
  }
  return Object.fromEntries(Array.from(members, ([name, sent]) => [name, memberOf(name, sent)]))
}

function memberOf(name: string, sent: readonly SentPair[]): unknown {
  if (sent.some((pair) => pair.name !== name)) return deepObjectOf(name, sent)
  const [first, ...others] = sent.map(({ value }) => new FormText(value))
  return others.length > 0 || name.endsWith('[]') ? [first, ...others] : first
}
