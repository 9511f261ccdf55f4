import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../../../src/api/api.tsx'
import { undoOf } from '../../../src/parts/audit/undo.ts'
import { entry } from './entry.ts'

const nameOf = () => 'shop'

/** An API of one thing, which remembers what was written, and by which version. */
function apiOf(now: unknown, later: readonly AuditEntry[] = []) {
  const written: unknown[] = []
  const api = {
    callVersioned: async () => ({ body: now, etag: '"7"' }),
    call: async (id: string, input: unknown, options: unknown) =>
      id === 'auditLogList' ? { items: later, next: null } : written.push([id, input, options]),
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

test('the API definition as a rule is taken back with the rest of the firewall, and said to be', async () => {
  const rule = (mode: string) => ({ mode, undeclaredParameters: false })
  const enforced = undoOf(
    entry('site.setFirewall', {
      before: { definition: rule('off') },
      after: { definition: rule('enforce') },
    }),
    nameOf,
  )
  assert.match(enforced?.words ?? '', /the API definition refuses nothing any more/)
  const settings = { mode: 'observe', overrides: [], exclusions: [] }
  // The fields may stand in another order.
  const now = apiOf({ ...settings, definition: { undeclaredParameters: false, mode: 'enforce' } })
  await enforced?.run(now.api)
  assert.match(JSON.stringify(now.written), /"definition":\{"mode":"off"/)
  const changed = apiOf({ ...settings, definition: rule('observe') })
  await assert.rejects(async () => enforced?.run(changed.api), { name: 'EditConflict' })
  assert.deepEqual(changed.written, [])
})

test('what somebody set again since, to the same value, is theirs and stays', async () => {
  const closed = entry('site.disable', { before: { isEnabled: true }, after: { isEnabled: false } })
  const later = (given: Partial<AuditEntry>) => entry('site.disable', { sequence: 2, ...given })
  const again = apiOf({ isActive: false }, [later({ after: { isEnabled: false } })])
  await assert.rejects(async () => undoOf(closed, nameOf)?.run(again.api), { name: 'EditConflict' })
  assert.deepEqual(again.written, [])
  const other = apiOf({ isActive: false }, [later({ after: { rateLimit: 'fixed' } }), closed])
  await undoOf(closed, nameOf)?.run(other.api)
  assert.equal(other.written.length, 1)

  const paused = entry('hacker.pause', { before: [{ id: 'a', paused: false }], after: { action: 'pause' } })
  const touching: readonly Partial<AuditEntry>[] = [
    { action: 'hacker.pause', before: [{ id: 'a', paused: false }] },
    { action: 'hacker.update', target: { kind: 'hacker', id: 'a' }, after: { paused: true } },
    { action: 'hacker.remove', target: { kind: 'hacker', id: 'a' }, before: { email: 'a@x.com' } },
  ]
  for (const given of touching) {
    const { api, written } = apiOf(null, [later(given)])
    await assert.rejects(async () => undoOf(paused, nameOf)?.run(api), { name: 'EditConflict' })
    assert.deepEqual(written, [])
  }
  const others = apiOf(null, [later({ action: 'hacker.pause', before: [{ id: 'b', paused: false }] })])
  await undoOf(paused, nameOf)?.run(others.api)
  assert.equal(others.written.length, 1)
})

test('a rule that somebody has edited since, or taken away and set again, is theirs and stays', async () => {
  const list = (...rules: unknown[]) => JSON.stringify(rules)
  const changed = entry('site.setBlockList', {
    before: { blockList: list(rule('a', '/a'), rule('gone', '/gone')) },
    after: { blockList: list(rule('a', '/b'), rule('new', '/new')) },
  })
  const set = [rule('a', '/b'), rule('new', '/new')]
  const others = [
    [rule('a', '/c'), rule('new', '/new')],
    [rule('a', '/b'), { ...rule('new', '/new'), status: 404 }],
    [...set, rule('gone', '/elsewhere')],
  ]
  for (const now of others) {
    const { api, written } = apiOf({ blockList: list(...now) })
    await assert.rejects(async () => undoOf(changed, nameOf)?.run(api), { name: 'EditConflict' })
    assert.deepEqual(written, [])
  }
  const beside = apiOf({ blockList: list(...set, rule('theirs', '/theirs')) })
  await undoOf(changed, nameOf)?.run(beside.api)
  assert.match(JSON.stringify(beside.written), /gone.*theirs/)
})

test('a list of researchers is not restored where somebody has listed one of them otherwise since', async () => {
  const removed = entry('site.setHackers', { before: { ids: ['a', 'b'] }, after: { ids: ['b'] } })
  const later = (given: Partial<AuditEntry>) => entry('site.setHackers', { sequence: 2, ...given })
  const touching: readonly Partial<AuditEntry>[] = [
    { before: { ids: ['a', 'b'] }, after: { ids: ['b'] } },
    { action: 'site.removeHacker', before: { id: 'a', email: 'a@x.com' }, after: null },
    { action: 'site.addHacker', before: null, after: { id: 'a', email: 'a@x.com', isNew: false } },
  ]
  for (const given of touching) {
    const { api, written } = apiOf({ ids: ['b'] }, [later(given)])
    await assert.rejects(async () => undoOf(removed, nameOf)?.run(api), { name: 'EditConflict' })
    assert.deepEqual(written, [])
  }
  const beside = apiOf({ ids: ['b', 'c'] }, [later({ before: { ids: ['b'] }, after: { ids: ['b', 'c'] } })])
  await undoOf(removed, nameOf)?.run(beside.api)
  assert.match(JSON.stringify(beside.written), /"ids":\["b","c","a"\]/)
})

test('what cannot be taken back has no undo', () => {
  for (const action of ['site.delete', 'hacker.rotateKey', 'apiKey.revoke', 'member.remove', 'site.update'])
    assert.equal(undoOf(entry(action, {}), nameOf), undefined)
})
