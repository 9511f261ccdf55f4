import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { freePorts } from '../../../../../test/support/loopback.ts'
import { runCommand } from '../../support/run-command.ts'

const [controlPort = 0, adminPort = 0] = await freePorts(2)

const gateway = createServer((request, response) => {
  const isReady = request.url === '/readyz'
  response.writeHead(isReady ? 200 : 404).end(isReady ? '{"status":"ready"}' : '')
})
await new Promise<void>((listening) => gateway.listen(adminPort, '127.0.0.1', listening))
after(() => gateway.close())

async function health(...parts: string[]): Promise<{ code: number; answer: string }> {
  const environment = {
    SALLYPORT_CONTROL_PORT: String(controlPort),
    // A part that listens everywhere is asked by loopback.
    SALLYPORT_GATEWAY_ADMIN_HOST: '0.0.0.0',
    SALLYPORT_GATEWAY_ADMIN_PORT: String(adminPort),
  }
  const { code, stdout, stderr } = await runCommand(environment, 'health', '--json', ...parts)
  return { code, answer: stdout || stderr }
}

test('a part that is ready', async () => {
  const { code, answer } = await health('gateway')
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(answer), [{ part: 'gateway', ready: true, detail: '{"status":"ready"}' }])
})

test('a part that is away, beside one that is ready', async () => {
  const { code, answer } = await health()
  assert.equal(code, 1)
  assert.deepEqual(
    JSON.parse(answer).map(({ part, ready }: { part: string; ready: boolean }) => [part, ready]),
    [
      ['control', false],
      ['gateway', true],
    ],
  )
  assert.match(JSON.parse(answer)[0].detail, /ECONNREFUSED/)
})

test('a part that there is not', async () => {
  assert.equal((await health('database')).code, 1)
})
