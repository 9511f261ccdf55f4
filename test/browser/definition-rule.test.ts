/** The API definition as a rule, in the console: what it would refuse, its switch, and what it refuses then. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Site } from '@sallyport/contract'
import { eventually, untilRecorded } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { violationsInBothSchemes } from './support/accessibility.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'

const SHOP = 'shop.gate.localhost'
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: { '/items': { get: { responses: { 200: { description: 'Items' } } } } },
}

test('the API definition as a rule', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  let site: Site
  before(async () => {
    it = await openConsole()
    site = await createSite(it.installation, SHOP, it.origin.url)
    for (const target of ['/items', '/hidden', '/hidden', '/%D7%90%D7%91'])
      await it.installation.gate(SHOP, target)
    await untilRecorded(it.installation, 4)
  })
  after(() => it.close())

  await t.test('without a definition it says so, and nothing can be switched on', async () => {
    const { page } = it
    await it.visit(`/sites/${site.id}/firewall`)
    const panel = page.getByRole('region', { name: 'API definition' })
    await panel.getByText('No API definition was uploaded.').waitFor()
    await shown(it, site, 'none')
  })

  await t.test('with one it says what it would refuse', async () => {
    const { page, installation } = it
    await installation.api('PUT', `/api/Sites/${site.id}/definition`, DOCUMENT)
    await it.visit(`/sites/${site.id}/firewall`)
    const panel = page.getByRole('region', { name: 'API definition' })
    await panel.getByText(/judges? by 1 operation\./).waitFor()
    await panel.getByText(/the definition does not list at least 3/).waitFor()
    const table = panel.getByRole('table', { name: 'Requests that are not listed' })
    await table.getByText('/hidden').waitFor()
    await shown(it, site, 'preview')
  })

  await t.test('enforced it refuses, and its undo takes it back', async () => {
    const { page, installation } = it
    const panel = page.getByRole('region', { name: 'API definition' })
    await panel.getByText('Enforce', { exact: true }).click()
    await page.getByText('The API definition as a rule is set to "Enforce".').waitFor()
    await panel.getByText('Requests that the API definition does not allow are refused.').waitFor()
    await eventually(async () => (await installation.gate(SHOP, '/hidden')).status === 403)
    assert.notEqual((await installation.gate(SHOP, '/items')).status, 403)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    await eventually(async () => (await installation.gate(SHOP, '/hidden')).status !== 403)
    assert.deepEqual(unexpected(it.browser.faults), [])
  })
})

/** Nothing is in the way of anybody, in either scheme and on a narrow screen. */
async function shown({ page, visit }: ConsoleUnderTest, site: Site, name: string): Promise<void> {
  const folder = process.env.SALLYPORT_SCREENSHOTS
  const there = page.getByRole('region', { name: 'API definition' }).getByText(/No API definition|judges? by/)
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    await visit(`/sites/${site.id}/firewall`)
    await there.waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [], `${name}, ${width}`)
    if (folder) await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true })
  }
}
