/** A destination as it is sealed, answered and logged. */
import type { Destination } from '@sallyport/contract'
import type { Cipher } from '../secrets/cipher.ts'
import { DESTINATION_KEYS, DESTINATION_TARGET } from '../secrets/sealed-columns.ts'
import type { DestinationRow } from './destinations-store.ts'
import { publicKeyOf, type WebhookKeys } from './webhook-keys.ts'

type Sealed = Pick<DestinationRow, 'id' | 'target' | 'keys'>

export const sealTarget = (cipher: Cipher, orgId: string, id: string, target: string): string =>
  cipher.encrypt(target, DESTINATION_TARGET.placeOf(orgId, id))
export const openTarget = (cipher: Cipher, orgId: string, { id, target }: Sealed): string =>
  cipher.decrypt(target, DESTINATION_TARGET.placeOf(orgId, id))

export const sealKeys = (cipher: Cipher, orgId: string, id: string, keys: WebhookKeys): string =>
  cipher.encrypt(JSON.stringify(keys), DESTINATION_KEYS.placeOf(orgId, id))
/** Null of an address, which signs nothing. */
export const openKeys = (cipher: Cipher, orgId: string, { id, keys }: Sealed): WebhookKeys | null =>
  keys === '' ? null : JSON.parse(cipher.decrypt(keys, DESTINATION_KEYS.placeOf(orgId, id)))

const stateOf = (row: DestinationRow): Destination['state'] => {
  if (row.is_enabled) return row.code_hash === '' ? 'enabled' : 'unconfirmed'
  return row.disabled_because === '' ? 'disabled' : row.disabled_because
}

export function presentDestination(cipher: Cipher, orgId: string, row: DestinationRow): Destination {
  const keys = openKeys(cipher, orgId, row)
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    target: openTarget(cipher, orgId, row),
    types: [...row.types],
    state: stateOf(row),
    signature: keys?.signature ?? null,
    publicKey: keys && publicKeyOf(keys),
    failingSince: row.failing_since,
    creationDate: row.created_at,
  }
}

/** For the audit log: of a URL only its origin, because the rest of it is a secret often enough. */
export function auditedDestination(cipher: Cipher, orgId: string, row: DestinationRow) {
  const target = openTarget(cipher, orgId, row)
  return {
    kind: row.kind,
    name: row.name,
    target: row.kind === 'email' ? target : `${new URL(target).origin}/…`,
    types: row.types,
    state: stateOf(row),
  }
}

export const destinationTarget = (id: string) => ({ kind: 'destination', id })
