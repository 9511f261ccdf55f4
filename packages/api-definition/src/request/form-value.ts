/** The object that a form is: a name that comes again is a list, and so is one that ends with `[]`. */
import { SentText } from '../schema/values.ts'
import type { SentPair } from './pairs.ts'

export function formValue(pairs: readonly SentPair[]): Readonly<Record<string, unknown>> {
  const members = new Map<string, unknown>()
  for (const { name, value } of pairs) {
    const before = members.get(name)
    const text = new SentText(value)
    if (before === undefined) members.set(name, name.endsWith('[]') ? [text] : text)
    else if (Array.isArray(before)) before.push(text)
    else members.set(name, [before, text])
  }
  return Object.fromEntries(members)
}
