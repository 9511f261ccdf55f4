/** Names as long as they may be, without a place to break at: nothing that can be pressed or read is pushed out of reach by them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole } from './support/console.ts'
import { sticksOut } from './support/layout/sticks-out.ts'

const LONG = 'x'.repeat(200)
const HOST = `${'a'.repeat(63)}.gate.localhost`
const SHOP = 'shop.gate.localhost'
const WIDE = { width: 1440, height: 900 }
const LAPTOP = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
/** A window of 1280 pixels, at 200 %. */
const ZOOMED = { width: 640, height: 800 }
/** Enough entries that the rows of the audit log are drawn as they come into sight. */
const RESEARCHERS = 70

const boxOf = async (locator: Locator) => {
  const box = await locator.boundingBox()
  assert.ok(box, 'it is drawn')
  return box
}

test('long names', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  let siteId = ''
  before(async () => {
    it = await openConsole()
    const origin = `https://${'o'.repeat(63)}.${'p'.repeat(63)}.example.com`
    siteId = (await createSite(it.installation, HOST, origin)).id
    const hackers = Array.from({ length: RESEARCHERS }, (_, index) => ({ email: `r${index}@example.com` }))
    for (const body of hackers) await it.installation.api('POST', '/api/Hackers', body)
    const { body } = await it.installation.api<{ id: string }>('POST', '/api/Projects', { name: LONG })
    await it.installation.api('PUT', '/api/Projects/updateProjectItem', { name: LONG, projectId: body.id })
    const words = { vendor: `${LONG} `.slice(0, 150), owner: 'The web team', type: 'web' }
    await it.installation.api('POST', '/api/Projects', { name: 'Winter test', ...words })
    await eventually(async () => (await it.installation.gate(HOST, '/a/path/of/some/length')).status !== 403)
  })
  after(() => it.close())

  await t.test('the switch that closes a site stays in sight', async () => {
    const { page } = it
    await it.visit('/sites')
    for (const window of [WIDE, LAPTOP]) {
      await page.setViewportSize(window)
      const { x, width } = await boxOf(page.getByRole('switch', { name: `Open ${HOST}` }))
      assert.ok(x + width <= window.width, `it ends at ${x + width}`)
    }
  })

  await t.test(
    'beside the side bar no table is wider than its frame, and the kill switch is whole',
    async () => {
      const { page } = it
      for (const path of [
        '/sites',
        '/researchers',
        '/projects',
        '/gateways',
        '/organization/audit',
        `/sites/${siteId}/traffic`,
      ]) {
        await page.setViewportSize(LAPTOP)
        await it.visitUntil(path, page.getByRole('table').first())
        for (const width of [1280, 1210, 1024, 900]) {
          await page.setViewportSize({ width, height: 800 })
          // A long table takes its new widths once the browser has told it of the frame's.
          await page
            .waitForFunction(
              () =>
                [...document.querySelectorAll('table')].every(
                  (table) => table.scrollWidth <= (table.parentElement?.clientWidth ?? 0),
                ),
              undefined,
              { timeout: 5_000 },
            )
            .catch(() => assert.fail(`${path} at ${width} pixels: a table is wider than its frame`))
          const stop = page.getByRole('button', { name: 'Stop everything' })
          assert.ok(
            await stop.evaluate((it) => it.scrollWidth <= it.clientWidth),
            `it is cut at ${width} pixels`,
          )
        }
      }
    },
  )

  await t.test('a dialog about it ends where its frame ends', async () => {
    const { page } = it
    await it.visit(`/sites/${siteId}/settings`)
    await page.getByRole('button', { name: 'Remove this site' }).click()
    const dialog = page.getByRole('dialog')
    const frame = await boxOf(dialog)
    const name = await boxOf(dialog.getByText(HOST))
    assert.ok(name.x + name.width <= frame.x + frame.width, `it is ${name.width} wide, of ${frame.width}`)
    await page.keyboard.press('Escape')
    await it.visit('/projects')
    await page.getByRole('link', { name: LONG }).click()
    await page.getByRole('link', { name: 'Items', exact: true }).click()
    await page.getByRole('button', { name: 'Edit the check' }).click()
    const close = await boxOf(dialog.getByRole('button', { name: 'Close' }))
    assert.ok(close.width >= 24 && close.x + close.width <= WIDE.width, `it is ${close.width} wide`)
  })

  await t.test('on a phone the tab that is open is in sight, and no column lies on another', async () => {
    const { page } = it
    await page.setViewportSize(PHONE)
    await it.visit('/organization/audit')
    const tab = await boxOf(page.getByRole('link', { name: 'Audit log' }))
    assert.ok(tab.x >= 0 && tab.x + tab.width <= PHONE.width, `it ends at ${tab.x + tab.width}`)
    const row = page.getByRole('row').nth(2)
    await row.waitFor()
    const time = await boxOf(row.locator('time'))
    const who = await boxOf(row.getByRole('cell').nth(2))
    assert.ok(time.x + time.width <= who.x, `${time.x + time.width} is over ${who.x}`)
    assert.ok(who.width > 90, `${who.width} pixels are too narrow to read`)
    assert.deepEqual(await sticksOut(page), [])
  })

  await t.test('with twice the zoom the audit log says what was changed beside who and when', async () => {
    const { page } = it
    await page.setViewportSize(ZOOMED)
    await it.visit('/organization/audit')
    const row = page.getByRole('row', { name: /invited r/ }).first()
    await row.scrollIntoViewIfNeeded()
    const { height } = await boxOf(row)
    assert.ok(height < 120, `a row is ${height} high`)
    const table = await boxOf(page.getByRole('table'))
    const panel = await boxOf(page.getByRole('region', { name: 'Audit log' }))
    assert.ok(table.width <= panel.width, `it is ${table.width} wide, of ${panel.width}`)
    const first = page.getByRole('columnheader', { name: 'When' })
    assert.equal(await first.evaluate((head) => getComputedStyle(head).paddingInlineStart), '16px')
  })

  await t.test(
    'a rule that is added can be typed at once, and one that is removed leaves the focus',
    async () => {
      const { page } = it
      await page.setViewportSize(WIDE)
      await it.visit(`/sites/${siteId}/blocks`)
      await page.getByRole('button', { name: 'Add a rule' }).focus()
      await page.keyboard.press('Enter')
      await page.keyboard.type('admin')
      assert.equal(await page.getByRole('textbox', { name: 'Path' }).inputValue(), '/admin')
      await page.getByRole('button', { name: 'Remove rule 1' }).focus()
      await page.keyboard.press('Enter')
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Add a rule')
    },
  )

  await t.test(
    "the researcher's page is as wide as the window, and says until when in which zone",
    async () => {
      const { installation } = it
      const shop = await createSite(installation, SHOP, it.origin.url)
      const stopDate = new Date(Date.now() + 86_400_000).toISOString()
      const blockList = JSON.stringify([{ pathPrefix: `/${LONG.slice(1)}`, note: LONG }])
      await installation.api('PATCH', `/api/Sites/${shop.id}`, { blockList, stopDate })
      const { body } = await installation.api<{ key: string }>('POST', '/api/Hackers', {
        email: 'mira@example.com',
        name: LONG,
      })
      await eventually(async () => (await installation.gate(SHOP, '/', { key: body.key })).status === 200)
      const page = await it.browser.open()
      const { port } = new URL(installation.gatewayUrl)
      await page.goto(`http://sallyport.gate.localhost:${port}/`)
      await page.getByLabel('Key').fill(body.key)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: SHOP, exact: true }).click()
      await page.getByRole('heading', { name: 'Scope and rules' }).waitFor()
      await page.getByText(/Open for testing until .* (GMT|UTC|CET|CEST)/).waitFor()
      for (const size of [WIDE, PHONE]) {
        await page.setViewportSize(size)
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), size.width)
      }
    },
  )
})
