/** The console never says what it does not know: while the control plane is away, hangs, fails or is slow, and while everything is stopped. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Site } from '@sallyport/contract'
import type { Locator, Page, Route } from 'playwright-core'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { withoutChromium } from './support/chromium.ts'
import { unexpected } from './support/console.ts'
import { openFaultyConsole, SHOP } from './support/faulty-console.ts'

/** As long as it may take until a control plane that hangs is seen. */
const SEEN_WITHIN_MS = 10_000
const MEANT = /status of 50[03]|ERR_FAILED|ERR_CONNECTION|ERR_ABORTED|TimeoutError/

const live = (page: Page): Locator => page.getByText(/^Live · \d+ s ago$/).first()
const away = (page: Page): Locator => page.getByText('Away', { exact: true })
const alerts = (page: Page): Locator => page.getByRole('alert').filter({ hasText: /responding|answered/ })

test('what the console says is so', { skip: withoutChromium }, async (t) => {
  const { it, siteId } = await openFaultyConsole(t)
  const { page, installation } = it

  const faults: readonly (readonly [name: string, act: (route: Route) => unknown])[] = [
    ['is stopped', (route) => route.abort()],
    ['answers 500', (route) => route.fulfill({ status: 500, contentType: 'application/json', body: '{}' })],
  ]
  for (const [name, act] of faults)
    await t.test(`a control plane that ${name} is said to be away, once and everywhere`, async () => {
      await it.visit('/')
      await live(page).waitFor()
      await page.route('**/api/**', act)
      await away(page).waitFor({ timeout: SEEN_WITHIN_MS })
      assert.equal(await alerts(page).count(), 1)
      await page.getByText(/What you see is of \d\d:\d\d:\d\d/).waitFor()
      await page.getByRole('link', { name: 'Firewall', exact: true }).click()
      await page
        .getByText(/^Not available right now/)
        .first()
        .waitFor({ timeout: 20_000 })
      assert.equal(await alerts(page).count(), 1)
      for (const claim of ['0 hits over time', 'No rules yet', 'No data in this window', 'No exclusions'])
        assert.equal(await page.getByText(claim).count(), 0, claim)
      await page.unrouteAll()
      await page.getByRole('button', { name: 'Try again' }).first().click()
      await live(page).waitFor()
      await eventually(async () => (await alerts(page).count()) === 0)
    })

  await t.test('a control plane that hangs is seen within ten seconds', async () => {
    await it.visit('/')
    await live(page).waitFor()
    const { pid } = installation.process('control')
    process.kill(pid, 'SIGSTOP')
    try {
      const began = performance.now()
      await away(page)
        .or(page.getByText(/^Stale · /))
        .first()
        .waitFor({ timeout: SEEN_WITHIN_MS })
      assert.ok(performance.now() - began < SEEN_WITHIN_MS)
      await alerts(page).waitFor()
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await live(page).waitFor()
    await eventually(async () => (await alerts(page).count()) === 0)
  })

  await t.test('one that is slow has not said anything until it has', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/api/**', (route) => released.then(() => route.continue()))
    await it.page.goto(`${it.consoleUrl}`)
    await page.getByRole('link', { name: /^Requests\s*–/ }).waitFor()
    await page.getByRole('link', { name: /^Sites open\s*–/ }).waitFor()
    await page.getByText('Connecting', { exact: true }).first().waitFor()
    assert.equal(await page.getByText('No site yet').count(), 0)
    release()
    await page.getByRole('link', { name: /^Sites open\s*1/ }).waitFor()
  })

  await t.test('the record alone may be away', async () => {
    await page.route('**/api/Analytics/**', (route) =>
      route.fulfill({ status: 503, contentType: 'application/json', body: '{}' }),
    )
    await it.visit('/')
    await page.getByRole('alert').filter({ hasText: 'The traffic record is not available' }).waitFor()
    await live(page).waitFor()
    await page.getByRole('link', { name: /^Sites open\s*1/ }).waitFor()
    await page.unrouteAll()
  })

  await t.test('refused is all that was refused', async () => {
    await installation.gate(SHOP, '/refused', { key: null })
    await eventually(async () => {
      const { body } = await installation.api<{ items: unknown[] }>(
        'GET',
        '/api/Analytics/requests?path=/refused',
      )
      return body.items.length > 0
    })
    await it.visitUntil('/', page.getByRole('link', { name: /^Refused\s*1/ }))
  })

  await t.test('while everything is stopped no site is open', async () => {
    await installation.api('POST', '/api/Organization/stop')
    await it.visitUntil('/', page.getByRole('link', { name: /^Sites open\s*0/ }))
    await it.visit('/sites')
    await page.getByText('Stopped', { exact: true }).first().waitFor({ timeout: SEEN_WITHIN_MS })
    assert.equal(await page.getByRole('cell', { name: 'Open', exact: true }).count(), 0)
    // Who is known is known at a gate that is closed, too.
    await eventually(async () => (await installation.gate(SHOP, '/while-stopped')).status === 503)
    await installation.api('POST', '/api/Organization/resume')
    const researcher = page.getByRole('gridcell', { name: installation.firstRun.researcher.email })
    await it.visitUntil('/traffic?path=/while-stopped', researcher.first())
  })

  await t.test('the exclusions of all sites are those of all sites', async () => {
    const other = await createSite(installation, 'wiki.gate.localhost', it.origin.url)
    for (const [id, pathPrefix] of [
      [siteId, '/cart'],
      [other.id, '/edit'],
    ])
      await installation.api('PUT', `/api/Sites/${id}/firewall`, {
        mode: 'observe',
        exclusions: [{ id: 'known', pathPrefix, note: '' }],
      })
    await it.visitUntil('/firewall', page.getByRole('cell', { name: '/edit' }))
    const table = page.getByRole('table', { name: 'Exclusions of all sites' })
    assert.deepEqual(await table.getByRole('link').allTextContents(), ['wiki.gate.localhost', SHOP])
    await page.getByRole('cell', { name: '/cart' }).waitFor()
    await it.visit(`/firewall?site=${siteId}`)
    await page.getByRole('cell', { name: '/cart' }).waitFor()
    assert.equal(await page.getByRole('cell', { name: '/edit' }).count(), 0)
  })

  await t.test('nobody is let in to a new site but whom its owner names', async () => {
    await it.visit('/setup')
    await page.getByLabel('Origin').fill(it.origin.url)
    await page.getByLabel('Gated name').fill('new.gate.localhost')
    assert.equal(await page.getByLabel('Who may enter').inputValue(), 'list')
    await page.getByRole('button', { name: 'Add the site' }).click()
    await page.getByLabel('E-mail address').fill('invited@example.com')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const key = await page
      .locator('code', { hasText: /^rk_live_\w+$/ })
      .first()
      .textContent()
    const { body: sites } = await installation.api<Site[]>('GET', '/api/Sites')
    assert.equal(sites.find(({ gatedName }) => gatedName === 'new.gate.localhost')?.hasCustomList, true)
    await eventually(
      async () => (await installation.gate('new.gate.localhost', '/', { key: key ?? '' })).status === 200,
    )
    assert.equal((await installation.gate('new.gate.localhost', '/')).status, 403)
  })

  await t.test('names that turn the direction of text turn nothing but themselves', async () => {
    await installation.api('POST', '/api/Projects', { name: 'plan\u202egnp.exe' })
    await it.visit('/projects')
    const link = page.getByRole('link', { name: /^plan/ })
    await link.waitFor()
    const bidi = await link.evaluate((element) => getComputedStyle(element).unicodeBidi)
    assert.equal(bidi, 'isolate')
  })

  await t.test('nothing else went wrong', () => {
    assert.deepEqual(unexpected(it.browser.faults, MEANT), [])
  })
})
