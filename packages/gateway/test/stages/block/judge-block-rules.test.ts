import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockRule } from '../../../../../test/support/block-rule.ts'
import { openGate } from '../../support/open-gate.ts'
import { HOST, site } from '../../support/test-data-plane.ts'

test('a blocked path never reaches the origin, and the record names rule and reading', async (context) => {
  const gate = await openGate(context, { blockRules: [blockRule('rule-1', '/admin', { status: 451 })] })
  assert.equal((await gate.send('GET /shop')).status, 200)
  assert.equal((await gate.send('GET /admin/x')).status, 451)
  assert.equal((await gate.send('GET /x/..%2fadmin')).status, 451)
  assert.deepEqual(gate.seen, ['GET /shop'])
  const [, plain, odd] = await gate.recorder.waitFor(3)
  assert.deepEqual(
    [plain?.outcome, plain?.reason, plain?.rule, plain?.reading],
    ['block', 'block_rule', 'rule-1', 'as sent'],
  )
  assert.equal(odd?.reading, 'decoded, dot segments resolved')
})

test('a target with a fragment reaches the origin as it was sent, unless a reading of it is blocked', async (context) => {
  const gate = await openGate(context, { blockRules: [blockRule('rule-1', '/admin')] })
  const passed = ['/a#b', '/#', '/a?b=1#c=2', '/a#/../b', '/a%23/../../b', '/a#/admin']
  for (const target of passed) assert.equal((await gate.send(`GET ${target}`)).status, 200, target)
  assert.deepEqual(
    gate.seen,
    passed.map((target) => `GET ${target}`),
  )
  for (const target of ['/admin#', '/a#/../admin', '/admin?a#b', `http://${HOST}/admin#x`, '/%61dmin#/../b'])
    assert.equal((await gate.send(`GET ${target}`)).status, 403, target)
  const events = await gate.recorder.waitFor(passed.length + 5)
  assert.deepEqual(
    events.slice(0, 3).map(({ target, path }) => `${target} ${path}`),
    ['/a#b /a', '/# /', '/a?b=1#c=2 /a'],
  )
  assert.equal(events[passed.length]?.reading, 'fragment cut')
  gate.snapshots.putSite({ ...site(1), refuseAmbiguousTargets: true })
  assert.match((await gate.send('GET /a#b')).text, /ambiguous_target/)
})

test('a request that asks to be taken for another method or path is judged by that, too', async (context) => {
  const gate = await openGate(context, {
    blockRules: [blockRule('rule-1', '/', { methods: ['DELETE'] }), blockRule('rule-2', '/admin')],
  })
  assert.equal((await gate.send('DELETE /x')).status, 403)
  assert.equal(
    (await gate.send('POST /x', 'Content-Length: 0', 'x-http-Method-override: delete')).status,
    403,
  )
  assert.equal((await gate.send('POST /x?_method=delete', 'Content-Length: 0')).status, 403)
  assert.equal((await gate.send('GET /x', 'X-Original-URL: /%61dmin')).status, 403)
  assert.equal((await gate.send('GET /x', 'X-Rewrite-Url: /admin')).status, 403)
  assert.equal((await gate.send('GET /x', 'X-Rewrite-Url: /other')).status, 200)
  assert.deepEqual(gate.seen, ['GET /x'])
})

test('in whatever spelling some origin understands', async (context) => {
  const gate = await openGate(context, {
    blockRules: [blockRule('rule-1', '/', { methods: ['DELETE'] }), blockRule('rule-2', '/admin')],
  })
  for (const header of [
    'X_HTTP_Method_Override: DELETE',
    'X.Http.Method: DELETE',
    'X-HTTP-Method-Override: DELETE, x',
    'x_original_url: /admin',
    'X-Rewrite_URL: /x?%5Fmethod=DELETE',
  ])
    assert.equal((await gate.send('GET /x', header)).status, 403, header)
  for (const query of [
    '%5Fmethod=DELETE',
    '_method=%44ELETE',
    'a=1&_method=+delete',
    'a=1;_method=DELETE',
    '.method=DELETE',
    '_method%00=DELETE',
    '_method=GET&_method=DELETE',
  ])
    assert.equal((await gate.send(`GET /x?${query}`)).status, 403, query)
  const many = Array.from({ length: 150 }, (_, index) => `X-Original-URL: /other/${index}`)
  assert.equal((await gate.send('GET /x', ...many)).status, 403)
  assert.equal((await gate.send('GET /x?_method=PUT&method=DELETE&&a_method=DELETE')).status, 200)
  assert.equal(gate.seen.length, 1)
})

test('a site may refuse every ambiguous target', async (context) => {
  const gate = await openGate(context, { refuseAmbiguousTargets: true })
  assert.equal((await gate.send('GET /a%20b')).status, 200)
  const refused = await gate.send('GET /a/../b')
  assert.equal(refused.status, 400)
  const [, event] = await gate.recorder.waitFor(2)
  assert.deepEqual([event?.outcome, event?.reason], ['block', 'ambiguous_target'])
})
