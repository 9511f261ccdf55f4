/** Coverage of a site in the console, of real requests through the gate: the map, a cell, and the window for what was refused. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { CoverageMap, FirewallSettings, Site } from '@sallyport/contract'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { violationsInBothSchemes, violationsOf } from './support/accessibility.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'

const SHOP = 'shop.gate.localhost'
const ATTACK = encodeURIComponent("1' or 1=1 --")
const OPERATIONS = 500
const HOSTILE = '/\u202eevil<img src=x>'
const get = { get: { responses: { 200: { description: 'There it is.' } } } }

test('coverage of a site', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  let site: Site
  let evidence: Buffer
  before(async () => {
    it = await openConsole()
    site = await createSite(it.installation, SHOP, it.origin.url)
    const paths = Array.from({ length: OPERATIONS }, (_, index) => [`/things${index}/{id}`, get])
    const saved = await it.installation.api('PUT', `/api/Sites/${site.id}/definition`, {
      openapi: '3.1.0',
      info: { title: 'Shop', version: '1' },
      paths: { '/search': get, '/orders/{id}': get, [HOSTILE]: get, ...Object.fromEntries(paths) },
    })
    assert.equal(saved.status, 204)
    await it.installation.gate(SHOP, `/search?q=${ATTACK}`)
    await it.installation.gate(SHOP, '/orders/7')
    await it.installation.api('PUT', `/api/Sites/${site.id}/firewall`, { mode: 'enforce' })
    // On a path of no operation, so that nothing reaches the one that is to be refused before the firewall enforces.
    await eventually(async () => (await it.installation.gate(SHOP, `/probe?q=${ATTACK}`)).status === 403)
    await it.installation.gate(SHOP, `/orders/7?q=${ATTACK}`)
    const rule = { methods: ['*'], status: 403, enabled: true }
    const blockList = JSON.stringify(['/things1', '/closed'].map((pathPrefix) => ({ ...rule, pathPrefix })))
    const blocked = await it.installation.api('POST', '/api/Sites/setBlockList', { id: site.id, blockList })
    assert.equal(blocked.status, 200)
    // On a path of no operation, as above.
    await eventually(async () => (await it.installation.gate(SHOP, '/closed')).status === 403)
    await it.installation.gate(SHOP, '/things1/7')
    await eventually(async () => {
      const { body } = await it.installation.api<CoverageMap>('GET', `/api/Sites/${site.id}/coverage`)
      return body.summary.triedCells >= 2 && body.summary.untestedRefused > 0
    })
  })
  after(() => it.close())

  await t.test(
    'the map shows what reached the origin, what was refused by the gate, and what was never tried',
    async () => {
      const { page } = it
      await it.visit(`/sites/${site.id}/coverage`)
      await page.getByText('503 operations').waitFor()
      const search = page.getByRole('row', { name: /GET \/search/ })
      await search.getByRole('button', { name: /^SQL injection: 1 attempt: Reached the origin$/ }).waitFor()
      const orders = page.getByRole('row', { name: /GET \/orders/ })
      await orders
        .getByRole('button', { name: /clean because refused by the gate. Refused by the firewall$/ })
        .first()
        .waitFor()
      assert.equal(
        await page
          .getByRole('row', { name: /things0/ })
          .getByRole('button')
          .count(),
        0,
      )
      await page.getByText('1 because the gate refused every request').waitFor()
      await page
        .getByRole('row', { name: /things1\// })
        .getByRole('img', { name: 'Untested: the gate refused every request before it was inspected' })
        .waitFor()
      // No more rows than show are in the document.
      assert.ok((await page.getByRole('row').count()) < 100)
      await page.getByRole('region', { name: 'Map of coverage' }).evaluate((element) => {
        element.scrollTop = element.scrollHeight
      })
      // They are in the order of their templates.
      await page.getByRole('row', { name: /things99\// }).waitFor()
      await page.getByRole('switch', { name: 'Untested first' }).check({ force: true })
      await page.getByRole('row', { name: /things0/ }).waitFor()
      assert.deepEqual(unexpected(it.browser.faults), [])
    },
  )

  await t.test('nothing of it is inaccessible, light, dark and narrow', async () => {
    const { page } = it
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize({ width, height: 860 })
      await it.visit(`/sites/${site.id}/coverage`)
      await page.getByText('503 operations').waitFor()
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true)
      const shots = process.env.SALLYPORT_SCREENSHOTS
      if (shots) await page.screenshot({ path: `${shots}/coverage-${width}.png` })
      assert.deepEqual(await violationsInBothSchemes(page), [], `${width}`)
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  await t.test('a cell that is closed has the focus again, and so has what opened the palette', async () => {
    const { page } = it
    await it.visit(`/sites/${site.id}/coverage`)
    const cell = page.getByRole('button', { name: /^SQL injection: .*refused by the gate/ }).first()
    for (const opener of [cell, page.getByRole('button', { name: 'Search or run a command' })]) {
      await opener.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await eventually(() => opener.evaluate((element) => element === document.activeElement))
    }
  })

  await t.test('a cell says who, and opens a window with an end for what was refused', async () => {
    const { page } = it
    await it.visit(`/sites/${site.id}/coverage`)
    const orders = page.getByRole('row', { name: /GET \/orders/ })
    const cell = orders.getByRole('button', { name: /^SQL injection: .*refused by the gate/ })
    await cell.focus()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog')
    await drawer.getByText('Looks clean because the gate refused it').waitFor()
    await drawer.getByRole('table', { name: 'Attempts' }).getByText('q', { exact: true }).first().waitFor()
    assert.deepEqual(await violationsOf(page), [])
    const shots = process.env.SALLYPORT_SCREENSHOTS
    if (shots) await page.screenshot({ path: `${shots}/coverage-cell.png` })
    const link = await drawer
      .getByRole('link', { name: 'These requests in the traffic' })
      .getAttribute('href')
    assert.match(link ?? '', /firewallClass=sql_injection/)
    await drawer.getByRole('button', { name: 'Let these through for a week' }).click()
    await page.getByText('The firewall only observes these parameters for 7 days.').waitFor()
    const { body } = await it.installation.api<FirewallSettings>('GET', `/api/Sites/${site.id}/firewall`)
    assert.ok(body.overrides.length > 0)
    for (const { mode, pathPrefix, parameter, expires } of body.overrides) {
      assert.deepEqual([mode, pathPrefix, parameter], ['observe', '/orders', 'q'])
      assert.ok(Date.parse(expires ?? '') > Date.now())
    }
  })

  await t.test('what went through the window reached the origin, and the map says so', async () => {
    await eventually(async () => (await it.installation.gate(SHOP, `/orders/8?q=${ATTACK}`)).status !== 403)
    await it.visitUntil(
      `/sites/${site.id}/coverage`,
      it.page
        .getByRole('row', { name: /GET \/orders/ })
        .getByRole('button', { name: /Reached the origin$/ })
        .first(),
    )
  })

  await t.test('a project says what was ordered beside what was recorded', async () => {
    const { page, installation } = it
    const launchDate = new Date(Date.now() - 86_400_000).toISOString()
    const made = await installation.api<{ id: string }>('POST', '/api/Projects', {
      name: 'Winter',
      launchDate,
    })
    const projectId = made.body.id
    for (const name of ['Search', HOSTILE])
      await installation.api('PUT', '/api/Projects/updateProjectItem', { name, projectId })
    await it.visit(`/projects/${projectId}`)
    await page.getByText('No items are tied to sites yet').waitFor()
    await page.getByRole('link', { name: 'To the items' }).click()
    await page.getByRole('button', { name: 'Edit the check of Search' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('State').selectOption('Risk accepted')
    const operation = dialog.getByLabel('Operation to tie')
    await operation.fill('nonsense')
    await operation.press('Enter')
    await dialog.getByText('Write a method and a path').waitFor()
    await operation.fill('GET /search')
    await operation.press('Enter')
    await dialog.getByText(`${SHOP}: GET /search`).waitFor()
    await dialog.getByLabel('Due').fill('2020-01-01')
    await dialog.getByLabel('Note').fill(' ')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('It must say why, as the state is accepted.').waitFor()
    assert.deepEqual(await violationsOf(page), [], 'the form')
    await dialog.getByLabel('State').selectOption('Issues found')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The check is saved.').waitFor()
    const row = page.getByRole('row', { name: /Search/ })
    await row.getByText('1 Jan 2020, overdue').waitFor()
    await row.getByText(/^1 attempt by 1 researcher, 1 answered by the origin/).waitFor()
    await page.getByRole('row', { name: /evil/ }).getByText('Not tied to a site').waitFor()
    for (const tab of ['Items', 'Coverage'] as const) {
      await page.getByRole('link', { name: tab, exact: true }).click()
      if (tab === 'Coverage') await page.getByRole('row', { name: /GET \/search/ }).waitFor()
      for (const [scheme, width] of [
        ['light', 1440],
        ['dark', 390],
      ] as const) {
        await page.emulateMedia({ colorScheme: scheme })
        await page.setViewportSize({ width, height: 900 })
        assert.deepEqual(await violationsOf(page), [], `${tab} ${scheme} ${width}`)
      }
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize({ width: 1440, height: 900 })
    }
    await page.getByText(/^1 operation · 0 untested/).waitFor()
    await page.getByText('All operations').click()
    await page.getByText(/^503 operations/).waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Evidence' }).click()
    assert.equal((await saved).suggestedFilename(), 'evidence.tar')
    evidence = readFileSync(await (await saved).path())
  })

  await t.test('evidence is checked in the browser: what was checked, what failed, and where', async () => {
    const { page } = it
    await it.visit('/projects')
    await page.getByRole('link', { name: 'Check evidence' }).click()
    const expected = page.getByLabel('Fingerprint of the expected signing key')
    await eventually(async () => /^sha256:[0-9a-f]{64}$/.test(await expected.inputValue()))
    const choose = (buffer: Buffer) =>
      page.locator('input[type=file]').setInputFiles({ name: `${HOSTILE}.tar`, mimeType: '', buffer })
    const takeOut = () => page.getByRole('button', { name: 'Remove file' }).click()
    const resultOf = (check: RegExp) => page.getByRole('row', { name: check }).getByText(/^(Passed|Failed)$/)
    await choose(evidence)
    await page.getByText('Signed by this installation.').waitFor()
    assert.equal(await page.getByText('Passed', { exact: true }).count(), 14)
    await page.getByText('Winter', { exact: true }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    // A letter of a request is another.
    await takeOut()
    const changed = Buffer.from(evidence)
    const place = changed.indexOf('/search?q=')
    assert.ok(place > 0)
    changed[place + 1] = 'S'.charCodeAt(0)
    await choose(changed)
    await page.getByRole('alert').getByText('Do not rely on this pack').waitFor()
    assert.equal(await resultOf(/^traffic\.ndjson has/).textContent(), 'Failed')
    assert.equal(await resultOf(/^Each request follows/).textContent(), 'Failed')
    assert.equal(await resultOf(/^site\.json has/).textContent(), 'Passed')
    assert.deepEqual(await violationsOf(page), [])
    await takeOut()
    await choose(evidence.subarray(0, place))
    await page.getByText('the archive ends in the middle of traffic.ndjson').waitFor()
    await takeOut()
    await choose(Buffer.from('PK no archive of ours'))
    await page.getByText('the archive ends too early').waitFor()
    // Of another installation: whole, and by another key.
    await takeOut()
    await expected.fill(`sha256:${'0'.repeat(64)}`)
    await choose(evidence)
    await page.getByText('Signed by another key').waitFor()
    const shots = process.env.SALLYPORT_SCREENSHOTS
    if (shots) await page.screenshot({ path: `${shots}/evidence.png`, fullPage: true })
  })

  await t.test(
    'a site of which nothing is known says what to do, and a store that is away is told',
    async () => {
      const { page } = it
      const other = await createSite(it.installation, 'other.gate.localhost', it.origin.url)
      await it.visit(`/sites/${other.id}/coverage`)
      await page.getByText('No operations known yet').waitFor()
      assert.deepEqual(await violationsOf(page), [])
      await page.route('**/coverage?**', (route) => route.fulfill({ status: 503, body: '{}' }))
      await it.visit(`/sites/${site.id}/coverage`)
      await page.getByRole('alert').first().waitFor({ timeout: 20_000 })
      await page.unroute('**/coverage?**')
    },
  )

  await t.test('the story of a researcher leads from a visit to its steps and their requests', async () => {
    const { page, installation } = it
    const { researcher } = installation.firstRun
    for (let count = 0; count < 4; count++) await installation.gate(SHOP, `/search?q=${ATTACK}${count % 2}`)
    const visit = page
      .getByRole('group', { name: /^Visits by day/ })
      .getByRole('button')
      .last()
    await it.visitUntil(`/researchers/${researcher.id}`, visit)
    await eventually(async () => {
      await it.visit(`/researchers/${researcher.id}`)
      return /1[0-9] requests|[89] requests/.test((await visit.getAttribute('aria-label')) ?? '')
    })
    assert.match(
      (await visit.getAttribute('aria-label')) ?? '',
      /attacks \(SQL injection.*refused by the gate$/,
    )
    await visit.focus()
    await page.keyboard.press('Enter')
    const steps = page.getByRole('table', { name: 'Steps of the visit' })
    const searched = steps.getByRole('row', { name: /×4 GET \/search/ })
    await searched.getByText(/^[12] payloads?, 2 targets$/).waitFor()
    await searched.getByText('Refused by the firewall').waitFor()
    // What lies below the window is asked for when it comes near.
    await page.getByRole('region', { name: 'Coverage' }).scrollIntoViewIfNeeded()
    const tried = page.getByRole('table', { name: 'Operations this researcher tried' })
    await tried.getByRole('row', { name: /GET \/search SQL injection/ }).waitFor()
    for (const [scheme, width] of [
      ['light', 1440],
      ['dark', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height: 860 })
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
      assert.deepEqual(await violationsOf(page), [], `${scheme} ${width}`)
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true)
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByText('Table', { exact: true }).click()
    await page.getByRole('table', { name: 'Visits' }).getByRole('button').first().waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await searched.getByRole('link').click()
    await page.waitForURL((url) => url.searchParams.get('route') === '/search')
    await page.getByRole('gridcell', { name: '/search' }).nth(3).waitFor()
    assert.equal(await page.getByRole('gridcell', { name: '/search' }).count(), 4)
  })

  await t.test('the roster is sorted by the server, and its chosen ones are compared', async () => {
    const { page, installation } = it
    const body = { email: 'quiet@example.com', name: 'Quiet \u202e<b>one</b>' }
    await installation.api('POST', '/api/Hackers', body)
    await it.visit('/researchers')
    const table = page.getByRole('table', { name: 'Researchers' })
    const first = () => table.getByRole('row').nth(1).textContent()
    await eventually(async () => (await first())?.includes('quiet@example.com') === true)
    await table.getByRole('button', { name: 'Last 24 hours' }).click()
    await eventually(async () => (await first())?.includes(installation.firstRun.researcher.email) === true)
    await table
      .getByRole('columnheader', { name: 'Last 24 hours' })
      .and(page.locator('[aria-sort="descending"]'))
      .waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await page.getByLabel('Choose quiet@example.com').check()
    await page.getByLabel(`Choose ${installation.firstRun.researcher.email}`).check()
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/')) asked.push(request.url())
    })
    await page.getByRole('link', { name: 'Compare 2 selected' }).click()
    const beside = page.getByRole('table', { name: 'Researchers compared' })
    await beside
      .getByRole('row', { name: /^SQL injection/ })
      .getByRole('link')
      .waitFor()
    await beside.getByRole('row', { name: /^First seen .*never/ }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    assert.ok(asked.filter((url) => url.includes('/profiles')).length === 1, asked.join())
    assert.deepEqual(unexpected(it.browser.faults, /503|400 .*\/check$/), [])
  })
})
