/** A record without the properties that are undefined, so that it can be spread over defaults. */
export function definedOnly<T extends object>(
  record: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const defined: { [Name in keyof T]?: Exclude<T[Name], undefined> } = {}
  for (const name of Object.keys(record) as (keyof T)[]) {
    const value = record[name]
    if (value !== undefined) defined[name] = value as Exclude<T[typeof name], undefined>
  }
  return defined
}
