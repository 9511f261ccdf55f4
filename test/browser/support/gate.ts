/**
 * A real installation with hostile applications behind it: two sites of one organization and one of another, and the
 * researchers who are at home on the gate's own host.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Site } from '@sallyport/contract'
import type { Page } from 'playwright-core'
import { bareEnvironment } from '../../support/environment.ts'
import { eventually, type Installation, startInstallation } from '../../support/installation.ts'
import { createSite } from '../../support/site.ts'
import { type HostileOrigin, startHostileOrigin } from './hostile-origin.ts'

const MAIN = resolve(import.meta.dirname, '../../../packages/sallyport/src/main.ts')
const GATE_HOST = 'sallyport.gate.localhost'

export interface Researcher {
  readonly id: string
  readonly email: string
  readonly key: string
  /** Can be used once. */
  readonly invitation: string
}

export interface Gate {
  readonly installation: Installation
  /** `http://sallyport.gate.localhost:<port>`, as the other URLs without a slash at the end. */
  readonly url: string
  /** The application at `shop`, which is the attacker's. */
  readonly origin: HostileOrigin
  readonly shop: GatedSite
  readonly wiki: GatedSite
  /** A site of another organization. */
  readonly bank: GatedSite
  /** Invites somebody to the first organization, or by the API key of another one. */
  invite(name: string, apiKey?: string): Promise<Researcher>
  /** The API key of the other organization. */
  readonly otherApiKey: string
  close(): Promise<void>
}

export interface GatedSite extends Site {
  readonly host: string
  readonly url: string
}

/** Starts it; on the host that it has by default, or on another. */
export async function startGate(gateHost = GATE_HOST): Promise<Gate> {
  const environment = { SALLYPORT_GATE_HOST: gateHost }
  const installation = await startInstallation(gateHost === GATE_HOST ? {} : { environment })
  const origin = await startHostileOrigin()
  const { port } = new URL(installation.gatewayUrl)
  const publish = async (name: string, apiKey?: string): Promise<GatedSite> => {
    const site = await createSite(apiKey ? withKey(installation, apiKey) : installation, name, origin.url)
    return { ...site, host: `${name}:${port}`, url: `http://${name}:${port}` }
  }
  const otherApiKey = await createOrganization(installation)
  const sites = {
    shop: await publish('shop.gate.localhost'),
    wiki: await publish('wiki.gate.localhost'),
    bank: await publish('bank.gate.localhost', otherApiKey),
  }
  await installation.api('PATCH', `/api/Sites/${sites.shop.id}`, { credentials: 'tester / correct horse' })
  return {
    installation,
    url: `http://${gateHost}:${port}`,
    origin,
    ...sites,
    otherApiKey,
    invite: async (name, apiKey) => {
      const email = `${name.toLowerCase()}@example.com`
      const { status, body } = await installation.api<Researcher>(
        'POST',
        '/api/Hackers',
        { email, name },
        apiKey ?? installation.firstRun.apiKey,
      )
      assert.equal(status, 201, JSON.stringify(body))
      // The key is in force as soon as the gateway has heard of the researcher.
      const site = apiKey ? sites.bank : sites.shop
      await eventually(
        async () => (await installation.gate(site.gatedName, '/', { key: body.key })).status === 200,
      )
      return body
    },
    close: async () => {
      await origin.close()
      await installation.remove()
    },
  }
}

const withKey = (installation: Installation, apiKey: string): Installation => ({
  ...installation,
  api: (method, path, body) => installation.api(method, path, body, apiKey),
})

async function createOrganization({ dataDir }: Installation): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [MAIN, 'organizations', 'create', '--name', 'Another organization', '--json'],
    { env: { ...bareEnvironment, SALLYPORT_DATA_DIR: dataDir } },
  )
  const { apiKey } = JSON.parse(stdout)
  assert.equal(typeof apiKey, 'string')
  return apiKey
}

/** Takes up an invitation in a browser that nobody else is signed in to. */
export async function acceptInvitation(page: Page, invitation: string): Promise<void> {
  await page.goto(invitation)
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByRole('heading', { name: 'Your sites' }).waitFor()
}

/** Signs in by a key, on the gate's own host. */
export async function signInByKey(page: Page, gate: Gate, key: string): Promise<void> {
  await page.goto(`${gate.url}/`)
  await page.getByLabel('Key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Your sites' }).waitFor()
}

/** Opens an address of a gated host, through the gate's own host and back where the browser has no session there. */
export async function enter(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.waitForURL(url)
}
