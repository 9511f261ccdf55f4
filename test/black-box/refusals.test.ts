/** What cannot start says why in one line, and what to do, and exits with a status that is not 0. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { bareEnvironment } from '../support/environment.ts'
import { freePorts } from '../support/loopback.ts'

const MAIN = resolve(import.meta.dirname, '../../packages/sallyport/src/main.ts')
const folder = mkdtempSync(join(tmpdir(), 'sallyport-refusals-'))
after(() => {
  chmodSync(folder, 0o700)
  rmSync(folder, { recursive: true })
})

const [CONTROL_PORT, GATEWAY_PORT, ADMIN_PORT] = await freePorts(3)

/** Runs the command until it ends by itself, and returns what it printed for people. */
async function refusal(environment: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: {
      ...bareEnvironment,
      SALLYPORT_CONTROL_PORT: String(CONTROL_PORT),
      SALLYPORT_CONTROL_ADMIN_PORT: '0',
      SALLYPORT_GATEWAY_PORT: String(GATEWAY_PORT),
      SALLYPORT_GATEWAY_ADMIN_PORT: String(ADMIN_PORT),
      SALLYPORT_DATA_DIR: join(folder, 'data'),
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const [code] = await once(child, 'close')
  assert.ok(code > 0, `it ended with ${code}`)
  const lines = stderr.trimEnd().split('\n')
  assert.equal(lines.length, 1, stderr)
  return lines[0] ?? ''
}

test('a port in use', async () => {
  const other = createServer().listen(CONTROL_PORT, '127.0.0.1')
  await once(other, 'listening')
  const line = await refusal({}, 'start')
  assert.match(line, new RegExp(`port ${CONTROL_PORT} of 127.0.0.1 is in use: .*SALLYPORT_CONTROL_PORT`))
  other.close()
  assert.ok(!readdirSync(join(folder, 'data')).includes('lock'), 'the lock is given back')
})

test('a data directory that cannot be written', async () => {
  writeFileSync(join(folder, 'a-file'), '')
  const line = await refusal({ SALLYPORT_DATA_DIR: join(folder, 'a-file', 'data') }, 'start')
  assert.match(line, /a-file\/data cannot be written \(ENOTDIR\): .*SALLYPORT_DATA_DIR/)
})

test('a setting that is wrong', async () => {
  assert.match(
    await refusal({ SALLYPORT_GATEWAY_PORT: 'x' }, 'start'),
    /^sallyport: SALLYPORT_GATEWAY_PORT: /,
  )
})

test('a part that lacks what it needs', async () => {
  assert.match(await refusal({}, 'control'), /DATABASE_URL: must be set/)
  assert.match(await refusal({}, 'gateway'), /SALLYPORT_CONTROL_URL: must be set/)
})

test('a database that cannot be reached', async () => {
  const line = await refusal({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, 'control')
  assert.match(line, /DATABASE_URL: .*ECONNREFUSED/)
  const both = {
    DATABASE_URL: 'postgres://app@127.0.0.1:1/x',
    DATABASE_OWNER_URL: 'postgres://own@127.0.0.1:1/x',
  }
  assert.match(await refusal(both, 'control'), /DATABASE_OWNER_URL: .*ECONNREFUSED/)
})
