/** By which keys the gateways seal what they hand to the browsers of an organization's researchers. */
import type { CompiledSite, Snapshot } from './snapshot.ts'

/** The key to seal by; empty where there is none, and nothing may be sealed or opened then. */
export const sealKeyOf = (snapshot: Snapshot, orgId: string): string =>
  snapshot.organization(orgId)?.sessionKey ?? snapshot.installation?.sessionKey ?? ''

/** The keys by which something may have been sealed: the organization's, and the one of all, by which gateways sealed before. */
export function sealKeysOf(snapshot: Snapshot, orgId: string): readonly string[] {
  const own = snapshot.organization(orgId)?.sessionKey ?? ''
  const ofAll = snapshot.installation?.sessionKey ?? ''
  return [own, ofAll].filter((key, index, keys) => key !== '' && keys.indexOf(key) === index)
}

/** Those of a site's organization; where there is no site, as many to try, by which nothing of a site was sealed. */
export function sealKeysAt(snapshot: Snapshot, site: CompiledSite | null): readonly string[] {
  if (site) return sealKeysOf(snapshot, site.config.orgId)
  const ofAll = snapshot.installation?.sessionKey ?? ''
  return ofAll === '' ? [] : [ofAll, ofAll]
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
