/**
 * Every column that holds sealed text (cipher.ts), each with its key and the place that is authenticated with the text.
 * Code that seals has the place from here, so that after a change of the secret key everything can be sealed anew.
 */

export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** Columns that name a row, with their types. The row of a tenant table is named by its organization first. */
  readonly key: Readonly<Record<string, 'uuid' | 'text'>>
  /** Where the text belongs, by the values of the key. */
  readonly placeOf: (...key: [string, string]) => string
}

/** What is kept of a site for researchers to sign in with. */
export const SITE_CREDENTIALS = {
  table: 'sites',
  column: 'credentials',
  key: { org_id: 'uuid', id: 'uuid' },
  placeOf: (orgId: string, siteId: string) => `site/${orgId}/${siteId}/credentials`,
} as const satisfies SealedColumn

/** Answers kept under an `Idempotency-Key`, which may hold a key that is shown once. */
export const IDEMPOTENT_RESULT = {
  table: 'idempotency_keys',
  column: 'result',
  key: { org_id: 'uuid', key: 'text' },
  placeOf: (orgId: string, key: string) => `idempotency/${orgId}/${key}`,
} as const satisfies SealedColumn

/** Private keys of the identity provider. */
export const SIGNING_KEY = {
  table: 'identity_signing_keys',
  column: 'sealed',
  key: { kid: 'text' },
  placeOf: (kid: string) => `identity_signing_keys:${kid}`,
} as const satisfies SealedColumn

/** Sessions, codes, grants and refresh tokens of the identity provider. */
export const IDENTITY_ARTIFACT = {
  table: 'identity_artifacts',
  column: 'sealed',
  key: { model: 'text', id_hash: 'text' },
  placeOf: (model: string, idHash: string) => `${model}:${idHash}`,
} as const satisfies SealedColumn

/** URLs and addresses that organizations are told of things at. */
export const DESTINATION_TARGET = {
  table: 'notification_destinations',
  column: 'target',
  key: { org_id: 'uuid', id: 'uuid' },
  placeOf: (orgId: string, id: string) => `destination/${orgId}/${id}/target`,
} as const satisfies SealedColumn

/** Keys that sign webhooks. */
export const DESTINATION_KEYS = {
  table: 'notification_destinations',
  column: 'keys',
  key: { org_id: 'uuid', id: 'uuid' },
  placeOf: (orgId: string, id: string) => `destination/${orgId}/${id}/keys`,
} as const satisfies SealedColumn

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  SIGNING_KEY,
  SITE_CREDENTIALS,
  IDENTITY_ARTIFACT,
  IDEMPOTENT_RESULT,
  DESTINATION_TARGET,
  DESTINATION_KEYS,
]
