/** The gateway's documents say what the code says: every reason and every stage is there, and nothing else. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { REASONS } from '@sallyport/contract'
import { exportJWK, importJWK, jwtVerify } from 'jose'
import { createAssertionSigner } from '../src/upstream/forward/assertion.ts'
import { researcher, site, TestSnapshots } from './support/test-data-plane.ts'

const read = (name: string): string =>
  readFileSync(resolve(import.meta.dirname, '../../../docs', name), 'utf8')
const firstColumn = (text: string): string[] =>
  [...text.matchAll(/^\| `([a-z_-]+)` \|/gm)].map((match) => match[1] ?? '')

test('every reason of a refusal is documented, and nothing else is', () => {
  assert.deepEqual(firstColumn(read('refusal-reasons.md')).sort(), Object.keys(REASONS).sort())
})

test('every stage is documented, in its order', () => {
  const source = readFileSync(resolve(import.meta.dirname, '../src/serve/pipeline.ts'), 'utf8')
  const stages = [...source.matchAll(/\{ name: '([a-z-]+)'/g)].map((match) => match[1] ?? '')
  const section = read('gateway.md').split('## How researchers enter')[0] ?? ''
  assert.deepEqual(firstColumn(section), stages)
})

test('an assertion verifies as documented, and names the researcher', async () => {
  const signer = await createAssertionSigner()
  const snapshots = new TestSnapshots()
  snapshots.putSite(site(8080))
  const compiled = snapshots.current.site('site-1')
  assert.ok(compiled)
  const ada = researcher()
  const jwt = signer.assert(ada, compiled, Date.now())
  const [key] = signer.keys.keys
  assert.ok(key)
  const publicKey = await importJWK({ ...key }, 'ES256')
  const { payload } = await jwtVerify(jwt, publicKey, {
    issuer: 'sallyport',
    audience: 'sallyport:org:org:site:site-1',
  })
  assert.equal(payload.sub, 'researcher-1')
  assert.equal(payload.origin, 'http://127.0.0.1:8080')
  assert.equal(payload.email, 'ada@example.org')
  assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 300)
  assert.ok(!('d' in (await exportJWK(publicKey))))
  assert.equal(signer.assert(ada, compiled, Date.now() + 1), signer.assert(ada, compiled, Date.now() + 2))
})
