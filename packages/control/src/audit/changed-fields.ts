/** What goes into the audit log of a changed thing. */

/** Stands for a secret that is set. */
export const MASKED = '***'

/** The fields of two records that differ, as a record before and a record after; one that is in `before` alone is undefined after. */
export function changedFields<T extends object>(
  before: T,
  after: T,
): { before: Partial<T>; after: Partial<T> } {
  const changed = (Object.keys({ ...before, ...after }) as (keyof T)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const pick = (record: T): Partial<T> => {
    const picked: Partial<T> = {}
    for (const name of changed) picked[name] = record[name]
    return picked
  }
  return { before: pick(before), after: pick(after) }
}

/** Whether no field differs: such a change leaves no entry. */
export const isUnchanged = ({ after }: { readonly after: object }): boolean => Object.keys(after).length === 0
