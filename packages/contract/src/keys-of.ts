/** The keys of a table, in its order. To be asked of tables alone, which have no other keys than their type says. */
export const keysOf = <Key extends string>(table: Readonly<Record<Key, unknown>>): [Key, ...Key[]] =>
  Object.keys(table) as [Key, ...Key[]]
