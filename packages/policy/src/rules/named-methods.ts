/** Methods that the query of a target asks an origin to take a request for, instead of its own. */

/** Every pair but those of a name that begins as names mostly do: few targets have one. */
const ODD_PAIR = /[?&;](?![a-z0-9])/i
/** Without an escape, and without the word, no pair is called so; taking thousands of others apart is dear. */
const MAY_NAME_METHOD = /%|method/i
const NONE: readonly string[] = []

/** Whether a target may name a method at all. */
export const mayNameMethod = (target: string): boolean => ODD_PAIR.test(target)

/** What `_method` says in the query, read as leniently as any framework reads it (PHP takes `.method` for it, too). */
export function namedMethods(target: string): readonly string[] {
  if (!ODD_PAIR.test(target) || !MAY_NAME_METHOD.test(target)) return NONE
  const query = target.slice(target.indexOf('?') + 1).replace(/[?;]/g, '&')
  const methods: string[] = []
  for (const [name, value] of new URLSearchParams(query)) {
    const [uncut = ''] = name.split('\0', 1)
    if (foldName(uncut.trimStart()) === '-method') methods.push(value.trim())
  }
  return methods
}

/**
 * A name as the origins see it that make a variable of it (everything that speaks CGI's, WSGI's or Rack's language): they
 * take `_` and `-` for the same, some every other sign, too.
 */
export const foldName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '-')
