/** A gateway that is started side by side with its control plane. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { startGateway } from '../../src/index.ts'
import { temporaryDirectory } from '../record/support.ts'
import { copyDefaultTables } from '../stages/firewall/support.ts'
import { testSettings } from '../support/test-data-plane.ts'

test('it asks for nothing before its control plane is expected, and listens with what is in force then', async (context) => {
  const asked: string[] = []
  let isThere = false
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${isThere ? 'in time' : 'too early'}`)
    if (request.url !== '/gateway/feed') response.writeHead(503).end()
    else response.write('{"type":"begin","mode":"full","revision":7}\n{"type":"commit","revision":7}\n')
  })
  const { url } = await listenForTest(context, server)
  const expected = Promise.withResolvers<void>()
  const dataDir = await temporaryDirectory(context)
  copyDefaultTables(dataDir)
  const starting = startGateway(testSettings({ dataDir, controlUrls: [url] }), expected.promise)
  // As long as it takes somebody to ask.
  await fetch(new URL('/somebody-else', url))
  assert.deepEqual(asked, ['/somebody-else too early'])
  asked.length = 0
  isThere = true
  expected.resolve()
  const gateway = await starting
  context.after(() => gateway.close())
  const metrics = await (await fetch(`http://127.0.0.1:${gateway.admin.port}/metrics`)).text()
  assert.match(metrics, /^sallyport_config_revision 7$/m)
  assert.ok(asked.includes('/gateway/feed in time'))
  assert.deepEqual(
    asked.filter((one) => one.endsWith('too early')),
    [],
  )
})

test('it listens all the same where the control plane does not come', async (context) => {
  const dataDir = await temporaryDirectory(context)
  copyDefaultTables(dataDir)
  const settings = testSettings({ dataDir, controlUrls: ['http://127.0.0.1:1'] })
  const gateway = await startGateway(settings, Promise.resolve())
  context.after(() => gateway.close())
  assert.equal((await fetch(`http://127.0.0.1:${gateway.admin.port}/readyz`)).status, 503)
})
