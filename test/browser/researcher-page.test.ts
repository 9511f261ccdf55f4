/** The researcher's side: from an invitation to a refused request and its reason, on the gated host itself. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, type Installation, startInstallation } from '../support/installation.ts'
import { type Origin, startOrigin } from '../support/origin.ts'
import { createSite } from '../support/site.ts'
import { violationsOf } from './support/accessibility.ts'
import { type Browser, startBrowser, withoutChromium } from './support/chromium.ts'
import { unexpected } from './support/console.ts'
import { HOSTILE_VALUES } from './support/hostile-values.ts'

const SHOP = 'shop.gate.localhost'

test("the researcher's page", { skip: withoutChromium }, async (t) => {
  let installation: Installation
  let origin: Origin
  let browser: Browser
  let page: Page
  let gated = ''
  before(async () => {
    installation = await startInstallation()
    origin = await startOrigin()
    const site = await createSite(installation, SHOP, origin.url)
    const blockList = JSON.stringify([{ id: 'no-admin', pathPrefix: '/admin', note: 'Production' }])
    await installation.api('POST', '/api/Sites/setBlockList', { id: site.id, blockList })
    await installation.api('PATCH', `/api/Sites/${site.id}`, {
      instructions: `Leave checkout alone.\n${HOSTILE_VALUES.join('\n')}`,
      credentials: 'tester / correct horse',
    })
    await eventually(async () => (await installation.gate(SHOP, '/admin')).status === 403)
    gated = `http://${SHOP}:${new URL(installation.gatewayUrl).port}`
    browser = await startBrowser()
    page = await browser.open()
  })
  after(async () => {
    await browser.close()
    await origin.close()
    await installation.remove()
  })

  await t.test('a stranger is asked for an invitation or a key, and learns nothing else', async () => {
    await page.goto(`${gated}/.sallyport/`)
    await page.getByRole('heading', { name: 'This site is open to invited researchers' }).waitFor()
    assert.equal((await page.content()).includes('checkout'), false)
    assert.deepEqual(await violationsOf(page), [])
  })

  await t.test('a key that is typed in opens the page', async () => {
    await page.getByLabel('Key').fill(installation.firstRun.researcher.key)
    await page.getByRole('button', { name: 'Show my page' }).click()
    await page.getByRole('heading', { name: SHOP }).waitFor()
  })

  await t.test('an invitation signs the browser in', async () => {
    const { body } = await installation.api<{ invitation: string }>('POST', '/api/Hackers', {
      email: 'mira@example.com',
      name: 'First researcher',
    })
    await eventually(async () => {
      await page.goto(body.invitation)
      return (await page.context().cookies()).length > 0
    })
    await page.goto(`${gated}/.sallyport/`)
    await page.getByText('as First researcher').waitFor()
    await page.getByText('Leave checkout alone.').waitFor()
    await page.getByText('/admin', { exact: true }).waitFor()
  })

  await t.test('credentials are shown on a click, not before', async () => {
    assert.equal((await page.content()).includes('correct horse'), false)
    await page.getByRole('button', { name: 'Reveal' }).click()
    await page.getByText('tester / correct horse').waitFor()
  })

  await t.test('tools get settings with the key in them', async () => {
    await page.getByLabel('Key', { exact: true }).fill('rk_live_example')
    for (const tool of ['curl', 'Burp', 'ZAP', 'ffuf', 'nuclei']) {
      await page.getByLabel(tool, { exact: true }).check()
      assert.match((await page.locator('pre.settings').textContent()) ?? '', /rk_live_example/)
    }
  })

  await t.test('a refused request shows with its reason and its rule', async () => {
    const refused = await page.context().newPage()
    await refused.goto(`${gated}/x/..%2fadmin`)
    await refused.close()
    const row = page.getByRole('row', { name: /admin/ })
    await row.getByText('Refused: block rule').first().waitFor()
    await row.getByText('A block rule of this site covers this path.').first().waitFor()
    await row.getByText('no-admin').first().waitFor()
  })

  await t.test('it is accessible in light and dark, and hostile words stay words', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await violationsOf(page), [], colorScheme)
    }
    assert.equal(await page.locator('[data-injected]').count(), 0)
    assert.deepEqual(unexpected(browser.faults, /status of 40[13]/), [])
  })
})
