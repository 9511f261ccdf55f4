/** What schemas say of lists. */
import type { TableSchemaObject } from '../table.ts'
import { isSchema, schemaList } from './schema-parts.ts'
import type { ValueJudge } from './value-judge.ts'
import { keyOf } from './values.ts'

export function judgeArray(
  judging: ValueJudge,
  schema: TableSchemaObject,
  items: readonly unknown[],
): boolean {
  const { minItems, maxItems, uniqueItems } = schema
  if (typeof minItems === 'number' && items.length < minItems) return judging.refuse('has too few items')
  if (typeof maxItems === 'number' && items.length > maxItems) return judging.refuse('has too many items')
  const first = schemaList(schema.prefixItems)
  judging.spend(first.length >> 4)
  const rest = isSchema(schema.items) ? schema.items : true
  const judged = rest === true ? Math.min(first.length, items.length) : items.length
  for (let index = 0; index < judged; index++)
    if (!judging.judgeAt(index, first[index] ?? rest, items[index])) return false
  if (uniqueItems === true && !areUnique(judging, items)) return judging.refuse('has an item twice')
  return judgeContained(judging, schema, items)
}

function areUnique(judging: ValueJudge, items: readonly unknown[]): boolean {
  const keys = new Set<string>()
  for (const item of items) {
    const key = keyOf(item, judging.spend)
    if (keys.has(key)) return false
    keys.add(key)
  }
  return true
}

function judgeContained(
  judging: ValueJudge,
  { contains, minContains = 1, maxContains }: TableSchemaObject,
  items: readonly unknown[],
): boolean {
  if (!isSchema(contains)) return true
  const count = items.filter((item) => judging.tries(contains, item)).length
  if (typeof minContains === 'number' && count < minContains)
    return judging.refuse('has too few items of a kind')
  if (typeof maxContains === 'number' && count > maxContains)
    return judging.refuse('has too many items of a kind')
  return true
}
