/** A site whose name has become the gate's own: no request reaches it, though it says that it is open. */
import type { Database } from '../../database/database.ts'
import { findSitesNamed } from './store.ts'

/**
 * Warns, at the start of a control plane, of a site of an earlier version, or of before `SALLYPORT_GATE_HOST` was changed,
 * that has the name of the gate's own host. New sites are refused that name.
 */
export async function warnOfHiddenSite(
  database: Pick<Database, 'readInstallation'>,
  gateHost: string,
  warn: (fields: object, line: string) => void,
): Promise<void> {
  const sites = await database.readInstallation((tx) => findSitesNamed(tx, gateHost))
  for (const site of sites)
    warn(
      site,
      `no request reaches the site ${gateHost}: that is the gate's own host. Give the site another name, or the gate by SALLYPORT_GATE_HOST`,
    )
}
