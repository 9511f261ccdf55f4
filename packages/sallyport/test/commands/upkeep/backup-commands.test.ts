/** Backup, destroy, restore, as an operator does it: the whole thing with its embedded engines. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually, startInstallation } from '../../../../../test/support/installation.ts'
import { startOrigin } from '../../../../../test/support/origin.ts'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { runCommand } from '../../support/run-command.ts'

const folder = temporaryFolder({ after })
const file = join(folder, 'monday.backup')

/** A port that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

test('what runs is backed up, and restored into an empty folder', { timeout: 120_000 }, async (context) => {
  const origin = await startOrigin()
  context.after(() => origin.close())
  const first = await startInstallation()
  context.after(() => first.remove())
  const total = async (installation: typeof first): Promise<number> => {
    const path = '/api/Analytics/getTotalRequest'
    const { body } = await installation.api<string>('GET', path, undefined, first.firstRun.apiKey)
    return JSON.parse(body).total
  }
  const site = { originName: origin.url, gatedName: 'shop.gate.localhost', isActive: true }
  assert.equal((await first.api('POST', '/api/Sites', site)).status, 201)
  await eventually(async () => (await first.gate('shop.gate.localhost', '/')).status === 200)
  // Until all of what was asked is stored.
  const counted = await eventually(async () => {
    const before = await total(first)
    await delay(1_500)
    return before > 0 && before === (await total(first)) && before
  })
  const source = {
    SALLYPORT_DATA_DIR: first.dataDir,
    SALLYPORT_CONTROL_PORT: new URL(first.controlUrl).port,
  }
  const written = await runCommand(source, 'backup', file, '--json')
  assert.equal(written.code, 0, written.stderr)
  assert.equal(JSON.parse(written.stdout).organizations, 1)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.match((await runCommand(source, 'backup', file)).stderr, /is there already/)
  assert.match((await runCommand(source, 'restore', file)).stderr, /a control plane uses this database/)
  const backUpFrom = (url: string) => runCommand(source, 'backup', `${file}-elsewhere`, '--control-url', url)
  const elsewhere = await backUpFrom(`http://127.0.0.1:${await closedPort()}`)
  assert.equal(elsewhere.code, 78)
  assert.match(
    elsewhere.stderr,
    /^sallyport: nothing listens at http:\/\/127\.0\.0\.1:\d+, .* --control-url\.$/m,
  )
  const unheardOf = await backUpFrom('http://127.0.0.1:9')
  assert.equal(unheardOf.code, 78)
  assert.match(unheardOf.stderr, /^sallyport: the control plane at http:\/\/127\.0\.0\.1:9 does not answer: /)
  const beside = readdirSync(folder).filter((name) => name.includes('unfinished'))
  assert.deepEqual(beside, [])
  await first.stop()

  // While nothing runs, too.
  const offline = await runCommand(source, 'backup', `${file}-offline`, '--json')
  assert.equal(offline.code, 0, offline.stderr)
  assert.match((await runCommand(source, 'restore', file)).stderr, /not empty/)

  const dataDir = join(folder, 'anew')
  mkdirSync(dataDir)
  const target = { SALLYPORT_DATA_DIR: dataDir }
  assert.match((await runCommand(target, 'restore', file)).stderr, /there is no .*secrets\.json/)
  assert.deepEqual(readdirSync(dataDir), [])
  copyFileSync(join(first.dataDir, 'secrets.json'), join(dataDir, 'secrets.json'))
  // What the helper reads of an installation; its keys are those of before.
  copyFileSync(join(first.dataDir, 'first-run.json'), join(dataDir, 'first-run.json'))
  await first.remove()
  const restored = await runCommand(target, 'restore', file, '--json')
  assert.equal(restored.code, 0, restored.stderr)
  assert.deepEqual({ ...JSON.parse(restored.stdout), rows: 0 }, { ...JSON.parse(written.stdout), rows: 0 })
  const second = await startInstallation({ dataDir })
  context.after(() => second.stop())
  assert.equal(await total(second), counted)
  await eventually(async () => (await second.gate('shop.gate.localhost', '/')).status === 200)
})

test('a file that is no backup, or is not there, and a folder for one that is not there', async () => {
  const dataDir = join(folder, 'none')
  const environment = { SALLYPORT_DATA_DIR: dataDir, SALLYPORT_SECRET_KEY: '0'.repeat(64) }
  const nowhere = await runCommand(environment, 'backup', join(folder, 'missing', 'monday.backup'))
  assert.equal(nowhere.code, 78)
  assert.match(nowhere.stderr, /^sallyport: there is no folder .*missing: make it first$/m)
  assert.match(
    (await runCommand(environment, 'restore', join(folder, 'missing'))).stderr,
    /^sallyport: there is no /,
  )
  const bad = await runCommand(environment, 'restore', import.meta.filename)
  assert.equal(bad.code, 78)
  assert.match(bad.stderr, /^sallyport: .*cannot be read as a backup/)
  assert.equal(existsSync(dataDir), false)
})
