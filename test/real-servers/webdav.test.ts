/** nginx with WebDAV behind the gate: COPY and MOVE write where a header says, and a block rule holds there, too. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { BlockRule } from '@sallyport/contract'
import {
  HOST,
  startTestDataPlane,
  type TestDataPlane,
} from '../../packages/gateway/test/support/test-data-plane.ts'
import { blockRule } from '../support/block-rule.ts'
import { ask, askGate } from './support/ask.ts'
import { startNginxDav, withoutNginxDav } from './support/programs.ts'

const skip = withoutNginxDav

const FILES = {
  'public/notes.txt': 'notes',
  'public/other.txt': 'other',
  'admin/users.txt': 'ada',
  'orders/1.txt': 'first order',
}
const RULES = [blockRule('admin', '/admin'), blockRule('orders', '/orders', { methods: ['GET', 'PUT'] })]

interface Share extends TestDataPlane {
  readonly originPort: number
  has(path: string): boolean
  read(path: string): string
  /** The status that the gate answers. */
  send(method: string, path: string, ...fields: (readonly [name: string, value: string])[]): Promise<number>
}

async function openShare(context: TestContext, rules: readonly BlockRule[] = RULES): Promise<Share> {
  const server = await startNginxDav(context, FILES)
  const gate = await startTestDataPlane(context, server.port, { site: { blockRules: rules } })
  return {
    ...gate,
    originPort: server.port,
    has: (path) => existsSync(join(server.directory, path)),
    read: (path) => readFileSync(join(server.directory, path), 'utf8'),
    send: async (method, path, ...fields) => (await askGate(gate.port, method, path, fields)).status,
  }
}

test('asked directly, the server obeys: COPY and MOVE write to the destination', {
  skip,
}, async (context) => {
  const share = await openShare(context)
  for (const [method, to] of [
    ['COPY', '/admin/copied.txt'],
    ['MOVE', '/admin/moved.txt'],
  ] as const) {
    const { status } = await ask(share.originPort, method, '/public/notes.txt', [['Destination', to]])
    assert.equal(status, 204)
    assert.ok(share.has(to))
  }
})

for (const method of ['COPY', 'MOVE'])
  test(`${method} does not write under a block rule, however its destination is spelled`, {
    skip,
  }, async (context) => {
    const share = await openShare(context)
    for (const destination of [
      '/admin/new.txt',
      '/%61dmin/new.txt',
      '/x/../admin/new.txt',
      `http://${HOST}:${share.port}/admin/new.txt`,
      `http://127.0.0.1:${share.originPort}/admin/new.txt`,
      `http://127.0.0.1/admin/new.txt`,
      `http://${HOST}/admin/new.txt`,
    ]) {
      assert.equal(
        await share.send(method, '/public/notes.txt', ['Destination', destination]),
        403,
        destination,
      )
      assert.ok(!share.has('admin/new.txt'), destination)
    }
    assert.equal(
      await share.send(
        method,
        '/public/notes.txt',
        ['Destination', '/public/x.txt'],
        ['Destination', '/admin/new.txt'],
      ),
      403,
    )
    assert.equal(
      await share.send(method, '/public/notes.txt', ['dESTINATION', '/admin/users.txt'], ['Overwrite', 'T']),
      403,
    )
    assert.equal(share.read('admin/users.txt'), 'ada')
    const [event] = await share.recorder.waitFor(1)
    assert.deepEqual([event?.rule, event?.reading], ['admin', 'destination header, as sent'])
  })

test('what COPY and MOVE come to is judged by the methods of a rule', { skip }, async (context) => {
  const share = await openShare(context)
  assert.equal(
    await share.send('COPY', '/orders/1.txt', ['Destination', '/public/order.txt']),
    403,
    'it would be read',
  )
  assert.equal(
    await share.send('MOVE', '/public/notes.txt', ['Destination', '/orders/2.txt']),
    403,
    'it would be written',
  )
  assert.ok(!share.has('public/order.txt') && !share.has('orders/2.txt'))
})

test('what no rule forbids works: the gated host in a destination becomes the origin', {
  skip,
}, async (context) => {
  const share = await openShare(context)
  const to = (path: string) => ['Destination', `http://${HOST}${path}`] as const
  assert.equal(await share.send('COPY', '/public/notes.txt', to('/public/copied.txt')), 204)
  assert.equal(share.read('public/copied.txt'), 'notes')
  assert.equal(await share.send('MOVE', '/public/notes.txt', ['Destination', '/public/moved.txt']), 204)
  assert.ok(share.has('public/moved.txt') && !share.has('public/notes.txt'))
  assert.equal(
    await share.send('COPY', '/public/moved.txt', to('/public/other.txt'), ['Overwrite', 'F']),
    412,
  )
  assert.equal(await share.send('PROPFIND', '/public/', ['Depth', '1']), 207)
})

test('a destination at another host does not go on', { skip }, async (context) => {
  const share = await openShare(context)
  for (const destination of [
    'http://elsewhere.example/public/x.txt',
    '//127.0.0.1/public/x.txt',
    'public/x.txt',
  ])
    assert.equal(
      await share.send('COPY', '/public/notes.txt', ['Destination', destination]),
      400,
      destination,
    )
  assert.ok(!share.has('public/x.txt'))
})

test('nor does one whose path nginx finds where the URL has a query or a fragment', {
  skip,
}, async (context) => {
  const share = await openShare(context)
  for (const sign of ['?', '#', '?x='])
    for (const base of [`http://${HOST}`, `http://127.0.0.1:${share.originPort}`]) {
      const copyTo = (path: string): Promise<number> =>
        share.send('COPY', '/public/notes.txt', ['Destination', `${base}${sign}${path}`])
      assert.equal(await copyTo('/admin/new.txt'), 403, `${base}${sign} under a rule`)
      assert.equal(await copyTo('/public/new.txt'), 400, `${base}${sign} under none`)
    }
  assert.ok(!share.has('admin/new.txt') && !share.has('public/new.txt'))
})
