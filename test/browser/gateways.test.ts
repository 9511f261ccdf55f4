/** The gateways' page, with a gateway that nobody hears of while a site is closed. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { GATEWAY_LIVE_MS, LEASE_PATH, type LeaseChallenge, type ListedGateway } from '@sallyport/contract'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { violationsOf } from './support/accessibility.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole } from './support/console.ts'

const SHOP = 'shop.gate.localhost'
const AWAY = 'gateway-away'

test('the gateways, and one that is gone', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  before(async () => {
    it = await openConsole()
    const site = await createSite(it.installation, SHOP, it.origin.url)
    await it.installation.gate(SHOP, '/')
    await challengeAs(AWAY, it)
    await eventually(async () => (await stateOf(AWAY)) === 'silent', GATEWAY_LIVE_MS * 2)
    await it.installation.api('GET', `/api/Sites/disable/${site.id}`)
  })
  after(() => it.close())
  const stateOf = async (id: string) => {
    const { body } = await it.installation.api<{ items: ListedGateway[] }>('GET', '/api/Gateways')
    return body.items.find((one) => one.id === id)?.state
  }

  await t.test('a site that it may still serve is not called closed', async () => {
    await it.visit('/sites')
    await it.page.getByText('Deploying', { exact: true }).waitFor()
    assert.equal(await it.page.getByText('Closed', { exact: true }).count(), 0)
  })

  await t.test('its site says that those that answer run the last change', async () => {
    const { page } = it
    await it.visit('/sites')
    await page.getByRole('link', { name: SHOP }).click()
    await page.getByRole('status').getByText('All gateways that answer run it; a silent one').waitFor()
    assert.equal(await page.getByText('1 of 1').count(), 0)
  })

  await t.test('it is named, with until when it may serve, by keyboard alone', async () => {
    const { page } = it
    await page.keyboard.press('g')
    await page.keyboard.press('g')
    await page.getByRole('heading', { name: 'Gateways', level: 1 }).waitFor()
    const row = page.getByRole('row').filter({ hasText: AWAY })
    await row.getByText('Silent').waitFor()
    await row.getByText('Not confirmed').waitFor()
    await page.getByRole('status').getByText(`${AWAY} is silent and has not confirmed it.`).waitFor()
    await page.getByRole('row').filter({ hasText: 'Serving' }).getByText('Confirmed').waitFor()
  })

  await t.test('of hundreds, each can be reached, and the silent ones leave the table in sight', async () => {
    const { page, installation } = it
    const { body } = await installation.api<{ items: ListedGateway[] }>('GET', '/api/Gateways')
    const silent = body.items.find(({ id }) => id === AWAY)
    const isList = (url: URL) => url.pathname === '/api/Gateways'
    await page.route(isList, async (route) => {
      const isFirst = !new URL(route.request().url()).searchParams.has('cursor')
      const named = (index: number) => ({ ...silent, id: `gateway-${isFirst ? index : `last-${index}`}` })
      await route.fulfill({
        json: {
          items: Array.from({ length: 500 }, (_, index) => named(index)),
          next: isFirst ? 'more' : null,
        },
      })
    })
    await it.visit('/gateways')
    await page.getByRole('button', { name: 'Show 495 more' }).waitFor()
    const box = await page.getByRole('table', { name: 'Gateways' }).boundingBox()
    assert.ok(box && box.y < 600, `the table begins ${box?.y} pixels down`)
    await page.getByRole('button', { name: 'Show more', exact: true }).click()
    await page.getByRole('button', { name: 'Show 995 more' }).waitFor()
    await page.unroute(isList)
  })

  await t.test('a token that enrols a gateway is shown once, with the command', async () => {
    const { page } = it
    await page.getByRole('button', { name: 'Enrol a gateway' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Make a token' }).click()
    await dialog.getByText('sallyport gateway enroll').waitFor()
    assert.match((await dialog.innerHTML()) ?? '', /ge_live_\w{39}/)
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('row').filter({ hasText: AWAY }).getByText('the shared token').waitFor()
  })

  await t.test('the banner of the kill switch says that it may still serve', async () => {
    const { page, installation } = it
    await installation.api('POST', '/api/Organization/stop')
    await it.visit('/gateways')
    await page.getByRole('alert').getByText('Everything is being stopped').waitFor()
    assert.deepEqual(await violationsOf(page), [])
  })

  await t.test('forgotten, nothing waits for it any more', async () => {
    const { page } = it
    await page.getByRole('button', { name: `Forget ${AWAY}` }).focus()
    await page.keyboard.press('Enter')
    await page
      .getByRole('dialog')
      .getByText('if it still runs, it may serve your sites as they were')
      .waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText(`${AWAY} is forgotten.`).waitFor()
    await page.getByRole('row').filter({ hasText: AWAY }).waitFor({ state: 'detached' })
    await page.getByRole('alert').getByText('no site admits anyone').waitFor({ timeout: 10_000 })
    await it.visit('/sites')
    await page.getByText('Closed', { exact: true }).waitFor()
  })
})

/** Asks for a lease as a gateway that runs what there is now, once. */
async function challengeAs(gatewayId: string, { installation }: ConsoleUnderTest): Promise<void> {
  const { gatewayToken } = JSON.parse(readFileSync(join(installation.dataDir, 'secrets.json'), 'utf8'))
  const { body } = await installation.api<{ items: ListedGateway[] }>('GET', '/api/Gateways')
  const challenge: LeaseChallenge = {
    gatewayId,
    challenge: randomBytes(16).toString('base64url'),
    revision: body.items[0]?.revision ?? 0,
    version: '1.0.0',
  }
  const answer = await fetch(new URL(LEASE_PATH, installation.controlUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${gatewayToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(challenge),
  })
  assert.equal(answer.status, 200)
}
