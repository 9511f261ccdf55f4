import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { bareEnvironment } from '../support/environment.ts'
import { startInstallation } from '../support/installation.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const MAIN = join(import.meta.dirname, '../../packages/sallyport/src/main.ts')

interface Found {
  readonly check: string
  readonly state: string
  readonly detail: string
}

function doctor(
  environment: Readonly<Record<string, string>>,
  ...parts: string[]
): Promise<{ code: number; found: Found[] }> {
  return new Promise((done) =>
    execFile(
      process.execPath,
      [MAIN, 'doctor', ...parts, '--json'],
      { env: { ...bareEnvironment, ...environment } },
      (error, stdout) => done({ code: error ? Number(error.code) : 0, found: JSON.parse(stdout) }),
    ),
  )
}

test('of an installation that runs nothing fails, and of its settings with another token one thing does', async (context) => {
  const installation = await startInstallation()
  context.after(() => installation.remove())
  const portOf = (url: string): string => new URL(url).port
  const environment = {
    SALLYPORT_DATA_DIR: installation.dataDir,
    SALLYPORT_CONTROL_PORT: portOf(installation.controlUrl),
    SALLYPORT_CONTROL_ADMIN_PORT: portOf(installation.controlAdminUrl),
    SALLYPORT_GATEWAY_PORT: portOf(installation.gatewayUrl),
    SALLYPORT_GATEWAY_ADMIN_PORT: portOf(installation.gatewayAdminUrl),
  }
  const { code, found } = await doctor(environment)
  assert.deepEqual(
    found.filter(({ state, check }) => state === 'failed' && !check.startsWith('disk')),
    [],
  )
  const stateOf = (start: string): string | undefined =>
    found.find(({ check }) => check.startsWith(start))?.state
  for (const check of ['PostgreSQL', 'control plane', 'clock of', 'body size', 'config feed', 'port'])
    assert.equal(stateOf(check), 'ok', check)
  assert.equal(code, found.some(({ state }) => state === 'failed') ? 1 : 0)
  const wrong = await doctor({ ...environment, SALLYPORT_GATEWAY_TOKEN: 'a token of somebody else' })
  assert.equal(wrong.code, 1)
  assert.match(wrong.found.find(({ check }) => check.startsWith('config feed'))?.detail ?? '', /refused/)
})

test('what gateways show is not sent in plain HTTP to another machine', async (context) => {
  const dataDir = temporaryFolder(context)
  const { found } = await doctor(
    {
      SALLYPORT_DATA_DIR: dataDir,
      SALLYPORT_CONTROL_URL: 'http://control.example.com',
      SALLYPORT_GATEWAY_TOKEN: 'token-of-the-gateways',
    },
    'gateway',
  )
  const about = found.filter(({ check }) => check.includes('control.example.com'))
  assert.deepEqual(
    about.map(({ check, state }) => [check, state]),
    [['control plane http://control.example.com', 'failed']],
  )
  assert.match(about[0]?.detail ?? '', /plain HTTP/)
})
