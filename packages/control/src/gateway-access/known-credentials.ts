/**
 * The credentials of gateways in memory: those that hold, read again each second and whenever a process says that some have changed.
 * What is not among them is looked up, a few at a time, so that strangers' guesses are no load.
 */
import type { CredentialRefusal } from '@sallyport/contract'
import { Semaphore } from '@sallyport/toolbox'
import type { Database } from '../database/database.ts'
import { ProblemError } from '../errors.ts'
import { EVERYTHING, type GatewayScope, type ServedOrganizations } from './gateway-scope.ts'
import { type CredentialRow, findCredential, listCredentials, listEnrolled, replaceBy } from './store.ts'

const LOOK_UPS_AT_ONCE = 4
const LOOK_UPS_WAITING_MAX = 64

/** A credential that holds. */
export interface HeldCredential {
  readonly gatewayId: string
  /** By `performance.now()`. */
  readonly endsAt: number
  readonly isNew: boolean
  /** Whether its gateway should renew it. */
  readonly isDue: boolean
  /** What its gateway serves. */
  readonly organizations: ServedOrganizations
}

/** Why a credential does not hold, and whose it is, where it is one. */
export interface RefusedCredential {
  readonly refusal: CredentialRefusal
  readonly gatewayId: string | null
}

export interface KnownCredentials {
  /** Asks for a credential by its hash. Rejects with 503 where too many that are not known are looked up. */
  find(hash: string): Promise<HeldCredential | RefusedCredential>
  /** Whether it holds as far as is known here. */
  holds(hash: string): boolean
  /** How the control plane knows a gateway. */
  standingOf(gatewayId: string): 'own' | 'shared' | 'revoked'
  /** What a gateway serves, as far as is known here; of a caller its credential says it. */
  scopeOf(gatewayId: string): GatewayScope
  /** Reads them again. */
  refresh(): Promise<void>
}

/** Reads what there is. */
export async function openKnownCredentials(
  database: Pick<Database, 'readInstallation' | 'writeInstallation'>,
): Promise<KnownCredentials> {
  let held = new Map<string, HeldCredential>()
  let standings = new Map<string, 'own' | 'revoked'>()
  let scopes = new Map<string, GatewayScope>()
  const lookUps = new Semaphore(LOOK_UPS_AT_ONCE, {
    waitingMax: LOOK_UPS_WAITING_MAX,
    refusal: () => new ProblemError('unavailable'),
  })

  const refresh = async (): Promise<void> => {
    const [credentials, gateways] = await database.readInstallation((tx) =>
      Promise.all([listCredentials(tx), listEnrolled(tx)]),
    )
    held = new Map(credentials.map((row) => [row.hash, heldOf(row)]))
    standings = new Map(gateways.map(({ id, revokedAt }) => [id, revokedAt === null ? 'own' : 'revoked']))
    scopes = new Map(
      gateways.map(({ id, organizations, enrolledRevision }) => [
        id,
        { organizations: organizations && new Set(organizations), since: enrolledRevision },
      ]),
    )
  }
  const lookUp = async (hash: string): Promise<HeldCredential | RefusedCredential> => {
    const row = await lookUps.run(() => database.readInstallation((tx) => findCredential(tx, hash)))
    const refusal = refusalOf(row)
    if (!row || refusal) {
      held.delete(hash)
      return { refusal: refusal ?? 'unknown', gatewayId: row?.gateway_id ?? null }
    }
    const found = heldOf(row)
    held.set(hash, found)
    standings.set(found.gatewayId, 'own')
    // Until it is read with the others, it would be one that serves everything.
    scopes.set(found.gatewayId, { organizations: found.organizations, since: row.enrolled_revision })
    return found
  }
  await refresh()
  return {
    async find(hash) {
      const known = held.get(hash)
      const found = known && performance.now() < known.endsAt ? known : await lookUp(hash)
      if ('refusal' in found || !found.isNew) return found
      const isFirst = await database.writeInstallation((tx) => replaceBy(tx, found.gatewayId, hash))
      // Shown at another process meanwhile, or none any more.
      if (!isFirst) return lookUp(hash)
      held.set(hash, { ...found, isNew: false })
      return found
    },
    holds: (hash) => performance.now() < (held.get(hash)?.endsAt ?? Number.NEGATIVE_INFINITY),
    standingOf: (gatewayId) => standings.get(gatewayId) ?? 'shared',
    scopeOf: (gatewayId) => scopes.get(gatewayId) ?? EVERYTHING,
    refresh,
  }
}

const heldOf = (row: CredentialRow): HeldCredential => ({
  gatewayId: row.gateway_id,
  endsAt: performance.now() + row.left_ms,
  isNew: row.is_new,
  isDue: row.is_due,
  organizations: row.org_ids && new Set(row.org_ids),
})

function refusalOf(row: CredentialRow | undefined): CredentialRefusal | null {
  if (!row) return 'unknown'
  if (row.is_revoked) return 'revoked'
  if (row.left_ms > 0) return null
  return row.is_superseded ? 'superseded' : 'ended'
}
