/**
 * Seals the credentials of sites anew under the current secret key, after it has been changed: run at every start, and
 * finds nothing to do at most of them. Once it has run, the earlier key is not needed for them any more.
 */
import type { Database } from '../../database/database.ts'
import type { Cipher } from '../../secrets.ts'
import { listSealed, replaceSealed } from './settings-store.ts'
import { credentialsPlace } from './site-view.ts'

const PAGE_SITES = 500

/** Returns how many were sealed anew. A site whose credentials are changed meanwhile is left as it is. */
export async function resealCredentials(database: Database, cipher: Cipher): Promise<number> {
  let count = 0
  let after: string | null = null
  for (;;) {
    const sites = await database.readInstallation((tx) => listSealed(tx, after, PAGE_SITES))
    for (const { id, org_id, credentials } of sites) {
      if (cipher.isCurrent(credentials)) continue
      const place = credentialsPlace(org_id, id)
      const sealed = cipher.encrypt(cipher.decrypt(credentials, place), place)
      await database.write(org_id, (tx) => replaceSealed(tx, org_id, id, credentials, sealed))
      count += 1
    }
    after = sites.at(-1)?.id ?? null
    if (sites.length < PAGE_SITES) return count
  }
}
