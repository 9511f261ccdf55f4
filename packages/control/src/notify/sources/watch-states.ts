/** Watches the states of sites, researchers, keys, gateways and origins, and tells what changes. */
import type { NotificationType } from '@sallyport/contract'
import { repeat } from '@sallyport/toolbox'
import type { Database } from '../../database/database.ts'
import { type Occasion, tell } from '../tell-store.ts'
import { listChanges, noteChange, type StateChange, type StateKind } from './conditions-store.ts'

export interface StateWatchOptions {
  readonly database: Pick<Database, 'readInstallation' | 'write'>
  readonly failed: (error: unknown) => void
  readonly intervalMs?: number
}

const INTERVAL_MS = 5_000

/** What is told where a thing comes to another state than the usual one, and where it comes back. */
const TYPES: Readonly<Record<StateKind, readonly [begins: NotificationType, ends: NotificationType | null]>> =
  {
    site: ['site.opened', 'site.closed'],
    window: ['site.window_closing', null],
    paused: ['researcher.paused', null],
    expiring: ['researcher.expiring', null],
    apiKey: ['api_key.expiring', null],
    silent: ['gateway.silent', null],
    behind: ['gateway.behind', null],
    journal: ['gateway.journal_filling', null],
    origin: ['origin.failing', 'origin.recovered'],
  }

/** Looks every few seconds until it is closed. Several control planes tell each change once. */
export function watchStates({ database, failed, intervalMs = INTERVAL_MS }: StateWatchOptions) {
  const closing = new AbortController()
  const look = () => tellChanges(database, failed)
  const watched = look()
    .catch(failed)
    .then(() => repeat(look, intervalMs, failed, closing.signal))
  return {
    close: (): Promise<void> => {
      closing.abort()
      return watched
    },
  }
}

/** Tells what has changed since it was told last. What fails for one organization is tried again, and holds up no other. */
export async function tellChanges(
  database: StateWatchOptions['database'],
  failed: StateWatchOptions['failed'],
): Promise<void> {
  const changes = await database.readInstallation((tx) => listChanges(tx))
  for (const [orgId, ofOrganization] of Map.groupBy(changes, (change) => change.orgId))
    await database
      .write(orgId, async (tx) => {
        for (const change of ofOrganization) {
          const occasion = occasionOf(change)
          if ((await noteChange(tx, change)) && occasion) await tell(tx, orgId, occasion)
        }
      })
      .catch(failed)
}

function occasionOf({ kind, state, subject, data, isKnown }: StateChange): Occasion | null {
  if (!isKnown) return null
  const [begins, ends] = TYPES[kind]
  const type = state === '' ? ends : begins
  // What was said of a failure is not true of its end.
  const { reason: _, ...lasting } = data
  return type && { type, subject, occurredAt: new Date().toISOString(), data: state === '' ? lasting : data }
}
