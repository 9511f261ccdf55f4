/** The researcher's side: from an invitation to a refused request and its reason, on the gated host itself. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Site } from '@sallyport/contract'
import type { Page } from 'playwright-core'
import { eventually, type Installation, startInstallation } from '../support/installation.ts'
import { type Origin, startOrigin } from '../support/origin.ts'
import { createSite } from '../support/site.ts'
import { violationsOf } from './support/accessibility.ts'
import { type Browser, startBrowser, withoutChromium } from './support/chromium.ts'
import { unexpected } from './support/console.ts'
import { HOSTILE_VALUES } from './support/hostile-values.ts'

const SHOP = 'shop.gate.localhost'
const REFUSAL = { status: 503, contentType: 'application/problem+json', body: '{"detail":"Not now."}' }
const withoutCurl = spawnSync('curl', ['--version']).status === 0 ? false : 'no curl on this machine'

test("the researcher's page", { skip: withoutChromium }, async (t) => {
  let installation: Installation
  let origin: Origin
  let browser: Browser
  let page: Page
  let gated = ''
  let site: Site
  before(async () => {
    installation = await startInstallation()
    origin = await startOrigin()
    site = await createSite(installation, SHOP, origin.url)
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
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await violationsOf(page), [], colorScheme)
    }
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
    const panel = page.getByRole('region', { name: 'Credentials for testing' })
    const refused = panel.getByRole('alert')
    await page.route('**/.sallyport/api/credentials', (route) => route.fulfill(REFUSAL))
    await panel.getByRole('button', { name: 'Reveal' }).click()
    await refused.getByText('Not now.').waitFor()
    await page.unrouteAll()
    await panel.getByRole('button', { name: 'Reveal' }).click()
    await page.getByText('tester / correct horse').waitFor()
    assert.equal(await refused.count(), 0)
  })

  await t.test('tools get settings with the key in them', async () => {
    await page.getByLabel('Key', { exact: true }).fill('rk_live_example')
    for (const tool of ['curl', 'Burp', 'ZAP', 'ffuf', 'nuclei']) {
      await page.getByLabel(tool, { exact: true }).check()
      assert.match((await page.locator('pre.settings').textContent()) ?? '', /rk_live_example/)
    }
  })

  await t.test('the line for curl works as it stands', { skip: withoutCurl }, async () => {
    await page.getByLabel('Key', { exact: true }).fill(installation.firstRun.researcher.key)
    await page.getByLabel('curl', { exact: true }).check()
    const line = (await page.locator('pre.settings').textContent()) ?? ''
    const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent --noproxy '*'`])
    assert.equal(stdout, '/')
  })

  await t.test('what is left of the budget counts down', async () => {
    const policies = await installation.api<{ items: { name: string; perResearcher: unknown }[] }>(
      'GET',
      '/api/RateLimitPolicies',
    )
    const policy = policies.body.items.find((one) => one.perResearcher !== null)
    assert.ok(policy, 'a plan includes a policy with shares')
    await installation.api('POST', '/api/sites/setRateLimiting', { id: site.id, rateLimit: policy.name })
    const budget = page.getByRole('region', { name: 'Your budget' })
    const words = budget.getByText(/^[\d,]+ of [\d,]+ left$/)
    await words.first().waitFor()
    const numbers = async () =>
      ((await words.first().textContent()) ?? '').replaceAll(',', '').match(/\d+/g)?.map(Number) ?? []
    const [left = 0, whole] = await numbers()
    assert.equal(left, whole)
    const other = await page.context().newPage()
    await other.goto(`${gated}/one`)
    await other.close()
    await eventually(async () => ((await numbers())[0] ?? left) < left)
  })

  await t.test('a budget that is not told says why, and is told again', async () => {
    const budget = page.getByRole('region', { name: 'Your budget' })
    await page.route('**/.sallyport/api/budget', (route) => route.fulfill(REFUSAL))
    await budget.getByRole('alert').getByText('Not now.').waitFor()
    assert.equal(await budget.getByText(/left$/).count(), 0)
    await page.unrouteAll()
    await budget.getByText(/left$/).first().waitFor()
    assert.equal(await budget.getByRole('alert').count(), 0)
  })

  await t.test('a refused request shows with its reason and its rule', async () => {
    const refused = await page.context().newPage()
    await refused.goto(`${gated}/x/..%2fadmin`)
    for (const colorScheme of ['dark', 'light'] as const) {
      await refused.emulateMedia({ colorScheme })
      assert.deepEqual(await violationsOf(refused), [], colorScheme)
    }
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
    assert.deepEqual(unexpected(browser.faults, /status of (40[13]|503)/), [])
  })
})
