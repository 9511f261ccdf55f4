/** What an operator closes at the admin port: refused at once, streams cut, for nobody to open who has not the token. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { streamingOrigin, watch } from '../../support/streams.ts'
import {
  ADMIN_TOKEN,
  GATE_HOST,
  HOST,
  KEY,
  sendRaw,
  startTestDataPlane,
} from '../../support/test-data-plane.ts'
import { ASKED } from '../../support/websocket.ts'

const OTHER_KEY = 'rk_live_other'

const requestOf = (target: string, key = KEY, headers: readonly string[] = [], host = HOST): string =>
  [`GET ${target} HTTP/1.1`, `Host: ${host}`, `Sallyport-Key: ${key}`, ...headers, '', ''].join('\r\n')

test('everything, a site or a researcher is closed and opened again at the admin port', async (context) => {
  const { port, dataPlane, snapshots, recorder } = await startTestDataPlane(
    context,
    await streamingOrigin(context),
  )
  snapshots.putOther(OTHER_KEY)
  const call = async (body?: object, token = ADMIN_TOKEN) => {
    const answer = await fetch(`http://127.0.0.1:${dataPlane.admin.port}/closures`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, connection: 'close' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, json: await answer.json() }
  }
  const act = (name: 'close' | 'open', kind: string, id = '') =>
    call({ act: name, scope: { kind, id }, by: 'mara', reason: 'an attack' })
  const statusAs = async (key: string): Promise<number> => (await sendRaw(port, requestOf('/', key))).status
  const statuses = async () => [await statusAs(KEY), await statusAs(OTHER_KEY)]
  const siteId = snapshots.current.siteByHost(HOST)?.config.id ?? ''

  assert.deepEqual(await statuses(), [200, 200])
  const stream = watch(port, requestOf('/stream'))
  const tunnel = watch(port, requestOf('/socket', KEY, ASKED))
  const isRunning = () => stream.received().includes('begin') && tunnel.received().includes('101')
  for (let waited = 0; !isRunning() && waited < 3_000; waited += 10) await sleep(10)
  assert.ok(isRunning())
  const closed = await act('close', 'everything')
  assert.deepEqual([closed.status, closed.json.closed[0].by, closed.json.unreported], [200, 'mara', 1])
  await Promise.all([stream.closedAt, tunnel.closedAt])
  const refused = await sendRaw(port, requestOf('/'))
  assert.equal(refused.status, 503)
  assert.match(refused.text, /"reason":"gateway_closed"/)
  assert.match(refused.text, /^Retry-After: 60\r$/m)
  assert.equal(await statusAs('rk_live_nobody'), 401, 'a stranger learns nothing of it')
  const page = await sendRaw(port, requestOf('/api/sites', KEY, [], `${GATE_HOST}:${port}`))
  assert.equal(page.status, 503)
  assert.match(page.text, /"reason":"gateway_closed"/)
  const events = await recorder.waitFor(5)
  assert.ok(events.some(({ kind, reason }) => kind === 'request' && reason === 'gateway_closed'))

  assert.equal((await act('open', 'everything')).status, 200)
  assert.deepEqual(await statuses(), [200, 200])
  await act('close', 'researcher', 'researcher-1')
  assert.deepEqual(await statuses(), [503, 200])
  await act('open', 'researcher', 'researcher-1')
  for (const name of [siteId, HOST]) {
    assert.equal((await act('close', 'site', name)).status, 200)
    assert.deepEqual(await statuses(), [503, 503])
    await act('open', 'site', name)
    assert.deepEqual(await statuses(), [200, 200])
  }
})

test('without the token, or for what is not known here, nothing is closed', async (context) => {
  const { port, dataPlane } = await startTestDataPlane(context, await streamingOrigin(context))
  const url = `http://127.0.0.1:${dataPlane.admin.port}/closures`
  const good = { act: 'close', scope: { kind: 'everything', id: '' }, by: 'mara', reason: 'an attack' }
  const post = async (body: string, authorization = `Bearer ${ADMIN_TOKEN}`, method = 'POST') =>
    (await fetch(url, { method, headers: { authorization, connection: 'close' }, body })).status
  for (const wrong of [
    '',
    'Bearer',
    'Bearer wrong',
    `Basic ${ADMIN_TOKEN}`,
    `Bearer ${ADMIN_TOKEN} `.repeat(2),
  ])
    assert.equal(await post(JSON.stringify(good), wrong), 401, wrong)
  assert.equal((await fetch(url, { headers: { connection: 'close' } })).status, 401)
  assert.equal(await post(JSON.stringify(good), undefined, 'PUT'), 405)
  for (const wrong of [
    '',
    '{',
    'null',
    '[]',
    JSON.stringify({ ...good, act: 'delete' }),
    JSON.stringify({ ...good, by: '' }),
    JSON.stringify({ ...good, reason: 'x'.repeat(201) }),
    JSON.stringify({ ...good, scope: { kind: 'all', id: '' } }),
    JSON.stringify({ ...good, scope: { kind: 'site', id: 7 } }),
    JSON.stringify({ ...good, more: 'x'.repeat(5_000) }),
  ])
    assert.equal(await post(wrong), 400, wrong.slice(0, 80))
  for (const kind of ['site', 'researcher'])
    assert.equal(await post(JSON.stringify({ ...good, scope: { kind, id: 'nobody' } })), 404)
  assert.equal((await sendRaw(port, requestOf('/'))).status, 200)
})
