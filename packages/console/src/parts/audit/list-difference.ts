/** What was added to a list, or taken away: block rules, exclusions, overrides. */
import { isolated } from '../../design/isolated.ts'
import { isRecord, type RecordedFields, textIn } from './entry-fields.ts'

const NAMED_MAX = 2

/** `added /reports to the block rules`; lists are arrays, or text that holds one. */
export function listDifference(
  before: unknown,
  after: unknown,
  nameOf: (item: RecordedFields) => string,
  list: string,
): string {
  const [old, now] = [itemsOf(before), itemsOf(after)]
  const isIn = (items: readonly RecordedFields[]) => {
    const ids = new Set(items.map((item) => textIn(item, 'id') || JSON.stringify(item)))
    return (item: RecordedFields) => ids.has(textIn(item, 'id') || JSON.stringify(item))
  }
  const added = now.filter((item) => !isIn(old)(item))
  const removed = old.filter((item) => !isIn(now)(item))
  const words = [
    ...(added.length > 0 ? [`added ${named(added, nameOf)} to`] : []),
    ...(removed.length > 0 ? [`removed ${named(removed, nameOf)} from`] : []),
  ]
  return words.length === 0 ? `changed ${list}` : `${words.join(', and ')} ${list}`
}

/** What a rule is for: its path, else the rule that it is about. */
export const ruleName = (item: RecordedFields): string =>
  textIn(item, 'pathPrefix') || textIn(item, 'rule') || textIn(item, 'parameter')

function named(items: readonly RecordedFields[], nameOf: (item: RecordedFields) => string): string {
  const names = items.slice(0, NAMED_MAX).map((item) => isolated(nameOf(item)) || 'one')
  const others = items.length - names.length
  return [...names, ...(others > 0 ? [`${others} more`] : [])].join(', ')
}

function itemsOf(value: unknown): readonly RecordedFields[] {
  if (typeof value !== 'string') return Array.isArray(value) ? value.filter(isRecord) : []
  try {
    const parsed: unknown = JSON.parse(value)
    return Array.isArray(parsed) ? parsed.filter(isRecord) : []
  } catch {
    return []
  }
}
