/** The record through a reverse proxy as it comes from Debian, with nothing set for it: nginx lets through 1 MiB at once. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startCollector } from '../../packages/control/test/collector/start-collector.ts'
import { GATEWAY_TOKEN } from '../../packages/control/test/support/control.ts'
import { event, openTemporaryStore } from '../../packages/control/test/support/traffic.ts'
import { ControlUrls } from '../../packages/gateway/src/control-plane/control-urls.ts'
import { GatewayCredential } from '../../packages/gateway/src/control-plane/credential.ts'
import { TrafficJournal } from '../../packages/gateway/src/record/traffic-journal.ts'
import { DEFAULT_JOURNAL_SETTINGS } from '../../packages/gateway/src/settings.ts'
import { setUpRecord, until } from '../../packages/gateway/test/record/support.ts'
import { startNginxProxy, without } from './support/programs.ts'

const EVENTS = 3_000
const NOISE_BYTES = 3_000

test('what was sealed as one batch of many megabytes arrives through nginx, each event once', {
  skip: without('nginx'),
}, async (context) => {
  const temporary = await openTemporaryStore()
  const { store } = temporary
  const collector = await startCollector(store)
  context.after(async () => {
    await collector.close()
    await temporary.remove()
  })
  const proxy = await startNginxProxy(context, Number(new URL(collector.url).port))
  const orgId = randomUUID()
  const { directory, start } = await setUpRecord(context)
  const settings = { ...DEFAULT_JOURNAL_SETTINGS, directory, log: () => undefined }
  const journal = await TrafficJournal.open(settings)
  const time = Date.now() - 60_000
  for (let index = 0; index < EVENTS; index += 1) {
    const target = `/${randomBytes(NOISE_BYTES).toString('base64url')}`
    journal.record(event({ id: randomUUID(), orgId, time, target, path: '/', route: '/' }))
  }
  await journal.files.sync()
  const reader = journal.createReader()
  const { id, from, to, events, body } = await reader.next()
  assert.equal(events, EVENTS)
  assert.ok(body.length > 8 * 1024 * 1024)
  await journal.files.seal({ id, from, to, events })
  await reader.close()
  await journal.close()
  const { recorder, lines } = await start({
    controlUrls: new ControlUrls([`http://127.0.0.1:${proxy.port}`]),
    credential: new GatewayCredential(GATEWAY_TOKEN),
  })
  await until(() => recorder.progress().pending === 0, 'the acknowledgement', 60_000)
  assert.deepEqual(lines, [])
  const setAside = await store.query('SELECT reason FROM set_aside LIMIT 3')
  assert.deepEqual(setAside, [])
  const counted =
    'SELECT count() AS stored, uniqExact(id) AS different FROM requests WHERE org_id = {orgId:String}'
  assert.deepEqual(await store.query(counted, { orgId }), [{ stored: EVENTS, different: EVENTS }])
  const [parts] = await store.query<{ count: number }>('SELECT count() AS count FROM batch_parts')
  assert.ok((parts?.count ?? 0) > 8, 'it came in parts')
  await recorder.close()
})
