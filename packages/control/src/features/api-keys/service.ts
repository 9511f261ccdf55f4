/** The life of an API key: created and shown once, renamed, rotated with an overlap, revoked. */
import { API_KEY_PREFIX, type ApiKey, ROLES, type Role } from '@sallyport/contract'
import { changedFields } from '../../audit/changed-fields.ts'
import { type Database, newId } from '../../database/database.ts'
import { invalid, ProblemError } from '../../errors.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import type { RequestContext } from '../../http/context.ts'
import type { BodyOf, QueryOf, Versioned } from '../../http/handlers.ts'
import { listPage, lockForChange, readRow, requireRow } from '../../http/rows.ts'
import { issueSecretKey } from '../../identity/api-keys/secret-keys.ts'
import * as store from '../../identity/api-keys/store.ts'

export interface ApiKeyDeps {
  readonly database: Database
  /** Called after a commit by which a key may have stopped to work. */
  readonly changed: () => void
}

/** How long a rotated key works beside its successor, unless the caller says. */
const OVERLAP_SECONDS_DEFAULT = 3_600

interface IssuedApiKey extends ApiKey {
  readonly key: string
}

const list = ({ database }: ApiKeyDeps, { orgId }: RequestContext, query: QueryOf<'apiKeysList'>) =>
  listPage(database, orgId, query, (tx, page) => store.listApiKeys(tx, orgId, query, page), presentApiKey)

const get = async ({ database }: ApiKeyDeps, { orgId }: RequestContext, id: string) =>
  versioned(await readRow(database, orgId, id, store.findApiKey))

async function create({ database }: ApiKeyDeps, context: RequestContext, body: BodyOf<'apiKeysCreate'>) {
  const created = await database.change(context, async (tx) => {
    // Here, since a repetition is given the first answer, also once the key has expired.
    const { key, ...row } = issueApiKey(context, {
      name: body.name,
      role: allowedRole(body.role ?? 'admin', context.principal.role),
      expires_at: futureInstant(body.expires ?? null),
    })
    const shown = presentApiKey(await store.insertApiKey(tx, context.orgId, row))
    tx.record({ action: 'apiKey.create', target: targetOf(row.id), before: null, after: shown })
    return { ...shown, key }
  })
  return { body: created, version: 1 }
}

async function update(
  { database, changed }: ApiKeyDeps,
  context: RequestContext,
  id: string,
  body: BodyOf<'apiKeysUpdate'>,
): Promise<Versioned<ApiKey>> {
  const { orgId } = context
  const row = await database.change(context, async (tx) => {
    const before = await lockForChange(store.lockApiKey, tx, context, id)
    const columns = {
      name: body.name ?? before.name,
      expires_at: body.expires === undefined ? before.expires_at : futureInstant(body.expires),
    }
    const difference = changedFields(audited(before), audited({ ...before, ...columns }))
    if (Object.keys(difference.after).length === 0) return before
    const after = await store.updateApiKey(tx, orgId, id, columns)
    tx.record({ action: 'apiKey.update', target: targetOf(id), ...difference })
    return after
  })
  changed()
  return versioned(row)
}

async function rotate(
  { database, changed }: ApiKeyDeps,
  context: RequestContext,
  id: string,
  overlapSeconds = OVERLAP_SECONDS_DEFAULT,
): Promise<IssuedApiKey> {
  const { orgId } = context
  const rotated = await database.change(context, async (tx) => {
    const before = await requireRow(store.lockApiKey, tx, orgId, id)
    // A rotation must not be a way to a stronger key than the caller could create.
    allowedRole(before.role, context.principal.role)
    const { key, ...row } = issueApiKey(context, before)
    const shown = presentApiKey(await store.insertApiKey(tx, orgId, row))
    const ends = endOfOverlap(before, overlapSeconds)
    if (overlapSeconds === 0) await store.revokeApiKey(tx, orgId, id)
    else await store.updateApiKey(tx, orgId, id, { name: before.name, expires_at: ends })
    tx.record({
      action: 'apiKey.rotate',
      target: targetOf(id),
      before: { expires: before.expires_at },
      after: { expires: ends, successor: shown },
    })
    return { ...shown, key }
  })
  changed()
  return rotated
}

async function revoke({ database, changed }: ApiKeyDeps, context: RequestContext, id: string): Promise<void> {
  await database.change(context, async (tx) => {
    const before = await lockForChange(store.lockApiKey, tx, context, id)
    await store.revokeApiKey(tx, context.orgId, id)
    tx.record({ action: 'apiKey.revoke', target: targetOf(id), before: audited(before), after: null })
  })
  changed()
}

/** The operations on API keys. */
export const createApiKeyService = (deps: ApiKeyDeps) =>
  bindDependencies(deps, { list, get, create, update, rotate, revoke })

export type ApiKeyService = ReturnType<typeof createApiKeyService>

/** Roles are listed from the strongest to the weakest. */
function allowedRole(wanted: Role, ofCaller: Role): Role {
  if (ROLES.indexOf(wanted) < ROLES.indexOf(ofCaller))
    throw new ProblemError('forbidden', { detail: 'A key cannot have a stronger role than yours.' })
  return wanted
}

function futureInstant(text: string | null): string | null {
  if (text === null) return null
  const instant = new Date(text).toISOString()
  if (instant <= new Date().toISOString()) throw invalid('/expires', 'must be in the future')
  return instant
}

/** When the old key ends: after the overlap, or before, if it was to end before. */
function endOfOverlap({ expires_at }: store.ApiKeyRow, overlapSeconds: number): string {
  const end = new Date(Date.now() + overlapSeconds * 1000).toISOString()
  return expires_at !== null && expires_at < end ? expires_at : end
}

/** A key of the caller's making; `key` is its text, shown once and never stored. */
function issueApiKey(
  { principal }: RequestContext,
  wanted: Pick<store.ApiKeyRow, 'name' | 'role' | 'expires_at'>,
): store.NewApiKeyRow & { readonly key: string } {
  return {
    id: newId(),
    name: wanted.name,
    role: wanted.role,
    expires_at: wanted.expires_at,
    created_by: principal.userId,
    created_by_email: principal.email,
    ...issueSecretKey(API_KEY_PREFIX),
  }
}

const targetOf = (id: string) => ({ kind: 'apiKey', id })

const audited = ({ name, role, expires_at }: store.ApiKeyRow) => ({ name, role, expires: expires_at })

const presentApiKey = (row: store.ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  role: row.role,
  visiblePart: `${row.lookup}…`,
  expires: row.expires_at,
  lastUsed: row.last_used_at,
  creationDate: row.created_at,
  createdBy: row.created_by_email,
})

const versioned = (row: store.ApiKeyRow): Versioned<ApiKey> => ({
  body: presentApiKey(row),
  version: row.version,
})
