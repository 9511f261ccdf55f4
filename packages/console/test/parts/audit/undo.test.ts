import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '@sallyport/contract'
import type { Api } from '../../../src/api/api.tsx'
import { undoOf } from '../../../src/parts/audit/undo.ts'

const entry = (action: string, given: Partial<AuditEntry>): AuditEntry => ({
  sequence: 1,
  time: '2026-11-23T12:00:00.000Z',
  actor: { kind: 'user', id: 'u', email: 'owner@example.com' },
  action,
  target: { kind: 'site', id: 'site-1' },
  before: null,
  after: null,
  requestId: 'r',
  hash: '',
  ...given,
})
const nameOf = () => 'shop'

/** An API of one thing, which remembers what was written, and by which version. */
function apiOf(now: unknown) {
  const written: unknown[] = []
  const api = {
    callVersioned: async () => ({ body: now, etag: '"7"' }),
    call: async (id: string, input: unknown, options: unknown) => written.push([id, input, options]),
  }
  // The two calls that an undo makes.
  return { api: api as unknown as Api, written }
}
const rule = (id: string, pathPrefix: string) => ({ id, pathPrefix, methods: [], status: 403, enabled: true })

test('an undo of block rules keeps what others added, and writes by the version that it read', async () => {
  const undo = undoOf(
    entry('site.setBlockList', {
      before: { blockList: '[]' },
      after: { blockList: JSON.stringify([rule('a', '/reports')]) },
    }),
    nameOf,
  )
  assert.match(undo?.words ?? '', /shop.*open again/)
  const { api, written } = apiOf({ blockList: JSON.stringify([rule('a', '/reports'), rule('b', '/admin')]) })
  await undo?.run(api)
  const blockList = JSON.stringify([rule('b', '/admin')])
  assert.deepEqual(written, [
    ['sitesSetBlockList', { body: { id: 'site-1', blockList } }, { ifMatch: '"7"' }],
  ])
})

test('what has been changed since is not overwritten', async () => {
  const limited = entry('site.setRateLimiting', { before: { rateLimit: '' }, after: { rateLimit: 'fixed' } })
  const undo = undoOf(limited, nameOf)
  const changed = apiOf({ rateLimit: 'sliding' })
  await assert.rejects(async () => undo?.run(changed.api), { name: 'EditConflict' })
  assert.deepEqual(changed.written, [])
  const same = apiOf({ rateLimit: 'fixed' })
  await undo?.run(same.api)
  assert.equal(same.written.length, 1)

  const enforced = undoOf(
    entry('site.setFirewall', { before: { mode: 'observe' }, after: { mode: 'enforce' } }),
    nameOf,
  )
  const off = apiOf({ mode: 'off', overrides: [], exclusions: [] })
  await assert.rejects(async () => enforced?.run(off.api), { name: 'EditConflict' })
  const on = apiOf({ mode: 'enforce', overrides: [], exclusions: [] })
  await enforced?.run(on.api)
  assert.match(JSON.stringify(on.written), /"mode":"observe"/)
})

test('a pause is taken back of those alone whom it reached', async () => {
  const people = [
    { id: 'a', email: 'a@x.com', paused: false },
    { id: 'b', email: 'b@x.com', paused: true },
  ]
  const undo = undoOf(entry('hacker.pause', { before: people, after: { action: 'pause' } }), nameOf)
  const { api, written } = apiOf(null)
  await undo?.run(api)
  assert.match(JSON.stringify(written), /"action":"resume","ids":\["a"\]/)
  assert.equal(undo?.permission, 'researchers:write')
})

test('what cannot be taken back has no undo', () => {
  for (const action of ['site.delete', 'hacker.rotateKey', 'apiKey.revoke', 'member.remove', 'site.update'])
    assert.equal(undoOf(entry(action, {}), nameOf), undefined)
})
