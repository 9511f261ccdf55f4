/** By which keys the gateways seal what they hand to the browsers of an organization's researchers. */
import type { Snapshot } from './snapshot.ts'

/** The key to seal by; empty where there is none, and nothing may be sealed or opened then. */
export const sealKeyOf = (snapshot: Snapshot, orgId: string): string =>
  snapshot.organization(orgId)?.sessionKey ?? snapshot.installation?.sessionKey ?? ''

/** The keys by which something may have been sealed: the organization's, and the one of all, by which gateways sealed before. */
export function sealKeysOf(snapshot: Snapshot, orgId: string): readonly string[] {
  const own = snapshot.organization(orgId)?.sessionKey ?? ''
  const ofAll = snapshot.installation?.sessionKey ?? ''
  return [own, ofAll].filter((key, index, keys) => key !== '' && keys.indexOf(key) === index)
}

/** The first that opens; null where none does. */
export function openByAny<Opened>(
  keys: readonly string[],
  open: (key: string) => Opened | null,
): Opened | null {
  for (const key of keys) {
    const opened = open(key)
    if (opened !== null) return opened
  }
  return null
}
