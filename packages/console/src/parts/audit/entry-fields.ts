/** What stands in an entry of the audit log: its fields are whatever the version said that wrote it. */
export type RecordedFields = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is RecordedFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const recordOf = (value: unknown): RecordedFields => (isRecord(value) ? value : {})

/** A field as text; empty where it is none. */
export function textIn(record: RecordedFields, name: string): string {
  const value = record[name]
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

export interface ChangedField {
  readonly name: string
  readonly before: string
  readonly after: string
}

/** The fields that differ between before and after. */
export function changedFields(before: unknown, after: unknown): readonly ChangedField[] {
  const [old, now] = [recordOf(before), recordOf(after)]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .map((name) => ({ name, before: wordsOf(old[name]), after: wordsOf(now[name]) }))
    .filter((field) => field.before !== field.after)
}

const wordsOf = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
