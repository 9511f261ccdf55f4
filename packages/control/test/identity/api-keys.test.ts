import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import {
  API_KEY_PREFIX,
  formatSecretKey,
  RESEARCHER_KEY_PREFIX,
  SECRET_KEY_RANDOM_BYTES,
  secretKeyLookup,
} from '@sallyport/contract'
import {
  type ApiKeyVerifier,
  createApiKeyVerifier,
  type StoredApiKey,
} from '../../src/identity/api-keys/api-key-verifier.ts'
import { createKeyUsage } from '../../src/identity/api-keys/key-usage.ts'
import { hashSecretKey } from '../../src/identity/api-keys/secret-keys.ts'
import { createAuthenticator } from '../../src/identity/authenticator.ts'

const newKey = () => formatSecretKey(API_KEY_PREFIX, randomBytes(SECRET_KEY_RANDOM_BYTES))
const stored = (key: string, changes: Partial<StoredApiKey> = {}): StoredApiKey => ({
  id: 'key-1',
  orgId: 'org-1',
  role: 'admin',
  createdByEmail: 'ada@example.com',
  hash: hashSecretKey(key),
  expiresAt: null,
  ...changes,
})

let rows: Map<string, StoredApiKey[]>
let lookups: number
let clock: number
let uses: string[]
let verifier: ApiKeyVerifier

beforeEach(() => {
  rows = new Map()
  lookups = 0
  clock = 1_000_000
  uses = []
  verifier = createApiKeyVerifier({
    find: async (lookup) => {
      lookups++
      return rows.get(lookup) ?? []
    },
    used: (key) => uses.push(key.id),
    now: () => clock,
  })
})

test('a key is found among those that begin alike', async () => {
  const key = newKey()
  rows.set(secretKeyLookup(key), [stored(newKey(), { id: 'other' }), stored(key)])
  assert.equal((await verifier.verify(key)).id, 'key-1')
  assert.deepEqual(uses, ['key-1'])
})

test('a look-alike never reaches the database', async () => {
  const key = newKey()
  const researcher = formatSecretKey(RESEARCHER_KEY_PREFIX, randomBytes(SECRET_KEY_RANDOM_BYTES))
  const changed = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
  for (const text of [changed, researcher, '', API_KEY_PREFIX, `${key}0`])
    await assert.rejects(verifier.verify(text), { code: 'unauthorized' })
  assert.equal(lookups, 0)
})

test('a key with the beginning of another is refused', async () => {
  const key = newKey()
  rows.set(secretKeyLookup(key), [stored(newKey())])
  await assert.rejects(verifier.verify(key), { code: 'unauthorized' })
  assert.deepEqual(uses, [])
})

test('an expired key is refused, also from memory', async () => {
  const key = newKey()
  rows.set(secretKeyLookup(key), [stored(key, { expiresAt: clock + 100 })])
  await verifier.verify(key)
  clock += 100
  await assert.rejects(verifier.verify(key), { code: 'unauthorized' })
  assert.equal(lookups, 1)
})

test('requests that come together share a look-up, and a revocation shows within half a second', async () => {
  const key = newKey()
  rows.set(secretKeyLookup(key), [stored(key)])
  await Promise.all(Array.from({ length: 100 }, () => verifier.verify(key)))
  rows.clear()
  clock += 499
  await verifier.verify(key)
  assert.equal(lookups, 1)
  clock += 1
  await assert.rejects(verifier.verify(key), { code: 'unauthorized' })
})

test('forgetting takes effect at once', async () => {
  const key = newKey()
  rows.set(secretKeyLookup(key), [stored(key)])
  await verifier.verify(key)
  rows.clear()
  verifier.forget()
  await assert.rejects(verifier.verify(key), { code: 'unauthorized' })
})

test('a failed look-up is not remembered', async () => {
  const key = newKey()
  let broken = true
  const flaky = createApiKeyVerifier({
    find: async () => {
      if (broken) throw new Error('connection lost')
      return [stored(key)]
    },
    used: () => {},
  })
  await assert.rejects(flaky.verify(key), /connection lost/)
  broken = false
  assert.equal((await flaky.verify(key)).id, 'key-1')
})

test('uses are written once an interval, one statement an organization', async () => {
  const written: [string, Record<string, number>][] = []
  const usage = createKeyUsage({
    write: async (orgId, usedAt) => void written.push([orgId, Object.fromEntries(usedAt)]),
    failed: (error) => assert.fail(String(error)),
  })
  for (let at = 1; at <= 1000; at++) usage.used(stored('x', { id: `key-${at % 2}` }), at)
  usage.used(stored('x', { id: 'key-9', orgId: 'org-2' }), 5)
  assert.deepEqual(written, [])
  await usage.flush()
  const expected = [
    ['org-1', { 'key-0': 1000, 'key-1': 999 }],
    ['org-2', { 'key-9': 5 }],
  ]
  assert.deepEqual(written, expected)
  await usage.close()
  assert.deepEqual(written, expected, 'nothing is written twice')
})

test('the authenticator tells the kinds of token apart by their beginning', async () => {
  const key = newKey()
  rows.set(secretKeyLookup(key), [stored(key)])
  const authenticate = createAuthenticator({
    apiKeys: verifier,
    verifyJwt: async () => ({
      subject: 'u',
      organization: 'o',
      email: 'e@example.com',
      isEmailVerified: true,
      issuedAt: null,
      role: null,
    }),
    resolveUser: async (token) =>
      token.organization === 'o' ? { orgId: 'org-7', email: token.email, role: 'viewer' } : null,
  })
  assert.deepEqual(await authenticate(key, 'test'), {
    kind: 'api-key',
    orgId: 'org-1',
    userId: 'key-1',
    email: 'ada@example.com',
    role: 'admin',
    token: key,
  })
  assert.deepEqual(await authenticate('eyJx', 'test'), {
    kind: 'user',
    orgId: 'org-7',
    userId: 'u',
    email: 'e@example.com',
    role: 'viewer',
    token: 'eyJx',
  })
  for (const bearer of ['', 'x', 'rk_live_x', 'AK_LIVE_x', `eyJ${'x'.repeat(20_000)}`])
    await assert.rejects(authenticate(bearer, 'test'), { code: 'unauthorized' })
})
