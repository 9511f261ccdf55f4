/** A gateway that is enrolled by the command, serves by a credential of its own, and is revoked. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import type { ListedGateway } from '@sallyport/contract'
import { bareEnvironment } from '../../support/environment.ts'
import { eventually, goThrough, startInstallation } from '../../support/installation.ts'
import { freePorts } from '../../support/loopback.ts'
import { startOrigin } from '../../support/origin.ts'
import { startRole } from '../../support/role-process.ts'
import { createSite, untilDeployed } from '../../support/site.ts'

const MAIN = resolve(import.meta.dirname, '../../../packages/sallyport/src/main.ts')
const NAME = 'second'
const SHOP = 'shop.gate.localhost'

const installation = await startInstallation()
const origin = await startOrigin()
const dataDir = mkdtempSync(join(tmpdir(), 'sallyport-enrolled-'))
after(async () => {
  await installation.remove()
  await origin.close()
  rmSync(dataDir, { recursive: true, force: true })
})
const [port = 0, adminPort = 0] = await freePorts(2)
const environment = {
  SALLYPORT_DATA_DIR: dataDir,
  SALLYPORT_CONTROL_URL: installation.controlUrl,
  SALLYPORT_GATEWAY_ID: NAME,
  SALLYPORT_GATEWAY_PORT: String(port),
  SALLYPORT_GATEWAY_ADMIN_PORT: String(adminPort),
}
const tokenFile = join(dataDir, 'token')

async function makeToken(gatewayId: string | null = null): Promise<string> {
  const { status, body } = await installation.api<{ token: string }>('POST', '/api/Gateways/enrolments', {
    gatewayId,
  })
  assert.equal(status, 201)
  return body.token
}

const enroll = async (token: string) => {
  writeFileSync(tokenFile, token)
  const given = [MAIN, 'gateway', 'enroll', '--token-file', tokenFile, '--json']
  const { stdout } = await promisify(execFile)(process.execPath, given, {
    env: { ...bareEnvironment, ...environment },
  })
  return JSON.parse(stdout)
}
/** What the doctor finds of the config feed, with the settings of the gateway. */
const feedByDoctor = async (): Promise<{ readonly state: string; readonly detail: string } | undefined> => {
  // It ends with 1 where something else of the machine fails.
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'doctor', 'gateway', '--json'], {
    env: { ...bareEnvironment, ...environment },
  }).catch((error: { stdout: string }) => error)
  const found: { check: string; state: string; detail: string }[] = JSON.parse(stdout)
  return found.find(({ check }) => check.startsWith('config feed'))
}
const find = async (): Promise<ListedGateway | undefined> => {
  const { body } = await installation.api<{ items: ListedGateway[] }>('GET', '/api/Gateways')
  return body.items.find(({ id }) => id === NAME)
}
const ask = (): Promise<number> =>
  goThrough(`http://127.0.0.1:${port}`, SHOP, '/', { key: installation.firstRun.researcher.key }).then(
    ({ status }) => status,
  )

test('an enrolled gateway serves by its own credential, and no more once it is revoked', async () => {
  await installation.api('PATCH', '/api/Organization/details', { leaseSeconds: 10 })
  const site = await createSite(installation, SHOP, origin.url)
  await untilDeployed(installation, site.id)
  const token = await makeToken()
  assert.deepEqual(await enroll(token), { enrolled: NAME })
  await assert.rejects(enroll(token), /used already/)
  const kept = JSON.parse(readFileSync(join(dataDir, 'gateway', 'credential.json'), 'utf8'))
  assert.equal(kept.gatewayId, NAME)

  const gateway = await startRole('gateway', environment, `http://127.0.0.1:${adminPort}/readyz`)
  try {
    await assert.rejects(enroll(await makeToken(NAME)), /in use/, 'it runs')
    await eventually(async () => (await find())?.state === 'serving')
    assert.equal((await find())?.credential, 'own')
    assert.equal((await feedByDoctor())?.state, 'ok', 'by the credential, without a token')
    assert.equal(origin.seen.length, 0)
    await eventually(async () => (await ask()) === 200)
    const seen = async () =>
      (await installation.api<{ items: unknown[] }>('GET', '/api/Analytics/requests')).body.items.length
    await eventually(async () => (await seen()) > 0)

    assert.equal((await installation.api('POST', '/api/Gateways/revoke', { id: NAME })).status, 204)
    await eventually(async () => (await ask()) === 503, 30_000)
    assert.equal((await installation.gate(SHOP, '/')).status, 200, 'the other gateway goes on')
    assert.equal((await find())?.credential, 'revoked')
    assert.match((await feedByDoctor())?.detail ?? '', /is refused/)
  } finally {
    await gateway.close()
  }
})

test('one that was revoked is enrolled again by a token for it', async () => {
  await assert.rejects(enroll(await makeToken()), /enrolled already/)
  assert.deepEqual(await enroll(await makeToken(NAME)), { enrolled: NAME })
  const gateway = await startRole('gateway', environment, `http://127.0.0.1:${adminPort}/readyz`)
  await eventually(async () => (await ask()) === 200).finally(gateway.close)
})
