/**
 * Where the identity provider keeps its sessions, codes, grants and refresh tokens: in PostgreSQL, so that they survive
 * restarts and several control processes share them.
 *
 * Their identifiers are bearer secrets (a session id is the cookie, a refresh token is the token). So rows are found by
 * a hash of the identifier and their content is encrypted: who reads the table can sign in as nobody.
 */
import { createHash } from 'node:crypto'
import type { Adapter, AdapterPayload, errors } from 'oidc-provider'
import type { Cipher } from '../../secrets/cipher.ts'
import { IDENTITY_ARTIFACT } from '../../secrets/sealed-columns.ts'

/** One row. `model` is the library's word for the kind of artifact. */
export interface StoredArtifact {
  readonly model: string
  readonly idHash: string
  readonly uidHash: string | null
  readonly grantId: string | null
  readonly accountId: string | null
  readonly sealed: string
  readonly expiresAt: Date
}

export interface FoundArtifact {
  readonly idHash: string
  readonly sealed: string
  /** ISO 8601. */
  readonly consumedAt: string | null
}

export interface ArtifactStore {
  save(artifact: StoredArtifact): Promise<void>
  findById(model: string, idHash: string): Promise<FoundArtifact | undefined>
  findByUid(model: string, uidHash: string): Promise<FoundArtifact | undefined>
  /** False if it was consumed before, by whichever process. */
  consume(model: string, idHash: string): Promise<boolean>
  remove(model: string, idHash: string): Promise<void>
  removeByGrant(grantId: string): Promise<void>
}

/** Artifacts without a lifetime of their own, which none of ours is, would be swept after a day. */
const LIFETIME_DEFAULT_SECONDS = 86_400

/** What is removed with a revoked grant. A sign-in under way only mentions one, and goes on. */
const ENDS_WITH_GRANT = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken'])

export function createAdapter(
  model: string,
  store: ArtifactStore,
  cipher: Cipher,
  { InvalidGrant }: Pick<typeof errors, 'InvalidGrant'>,
): Adapter {
  const opened = (found: FoundArtifact | undefined): AdapterPayload | undefined => {
    if (!found) return undefined
    // What was sealed is what the library gave us, and nobody else can seal.
    const payload = JSON.parse(
      cipher.decrypt(found.sealed, IDENTITY_ARTIFACT.placeOf(model, found.idHash)),
    ) as AdapterPayload
    if (found.consumedAt) payload.consumed = Math.floor(Date.parse(found.consumedAt) / 1000)
    return payload
  }
  return {
    async upsert(id, payload, expiresInSeconds = LIFETIME_DEFAULT_SECONDS) {
      const idHash = hashed(id)
      await store.save({
        model,
        idHash,
        uidHash: payload.uid ? hashed(payload.uid) : null,
        grantId: payload.grantId && ENDS_WITH_GRANT.has(model) ? payload.grantId : null,
        accountId: payload.accountId ?? null,
        sealed: cipher.encrypt(JSON.stringify(payload), IDENTITY_ARTIFACT.placeOf(model, idHash)),
        expiresAt: new Date(Date.now() + expiresInSeconds * 1000),
      })
    },
    find: async (id) => opened(await store.findById(model, hashed(id))),
    findByUid: async (uid) => opened(await store.findByUid(model, hashed(uid))),
    // The device flow is off.
    findByUserCode: async () => undefined,
    async consume(id) {
      // Codes and refresh tokens are for one use, also when two processes are shown the same one at the same time.
      if (!(await store.consume(model, hashed(id)))) throw new InvalidGrant('already used')
    },
    destroy: (id) => store.remove(model, hashed(id)),
    revokeByGrantId: (grantId) => store.removeByGrant(grantId),
  }
}

const hashed = (id: string): string => createHash('sha256').update(id).digest('base64url')
