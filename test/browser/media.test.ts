/** The console on paper, on which nothing scrolls, and in a palette of the viewer's own, in which no background is drawn. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole } from './support/console.ts'

const SHOP = 'shop.gate.localhost'
/** More than a table has in the document at once. */
const PROJECTS = 70

test('the console in other media than a screen of many colours', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  let siteId = ''
  before(async () => {
    it = await openConsole()
    siteId = (await createSite(it.installation, SHOP, it.origin.url)).id
    for (let count = 0; count < PROJECTS; count++)
      await it.installation.api('POST', '/api/Projects', { name: `Project ${count}` })
    await it.installation.gate(SHOP, '/served')
    await it.installation.gate(SHOP, '/refused', { key: null })
  })
  after(() => it.close())
  t.afterEach(() => it.page.emulateMedia({ media: null, forcedColors: null }))

  await t.test('all of a page is printed, and all rows of a long table', async () => {
    const { page } = it
    const hidden = () =>
      page.locator('main').evaluate((main) => Math.max(main.scrollHeight - main.clientHeight, 0))
    const side = page.getByRole('navigation', { name: 'Areas' })
    for (const [path, last] of [
      ['/projects', page.getByRole('link', { name: 'Project 0', exact: true })],
      ['/organization/audit', page.getByRole('link', { name: 'Project 0', exact: false }).last()],
    ] as const) {
      await it.visit(path)
      await page.getByRole('row').nth(20).waitFor()
      assert.ok((await hidden()) > 0, path)
      assert.ok((await page.getByRole('row').count()) < PROJECTS, path)
      await page.emulateMedia({ media: 'print' })
      await last.waitFor()
      assert.ok((await page.getByRole('row').count()) > PROJECTS, path)
      assert.equal(await hidden(), 0, path)
      assert.equal(await side.isVisible(), false, path)
      await page.emulateMedia({ media: null })
    }
  })

  await t.test('what is printed has every row before it is on paper', async () => {
    const { page } = it
    await it.visit('/projects')
    await page.getByRole('row').nth(20).waitFor()
    await page.evaluate(() => {
      const seen = window as unknown as { rowsMax: number }
      seen.rowsMax = 0
      new MutationObserver(() => {
        seen.rowsMax = Math.max(seen.rowsMax, document.querySelectorAll('main tbody tr').length)
      }).observe(document, { childList: true, subtree: true })
    })
    await page.pdf()
    assert.equal(await page.evaluate(() => (window as unknown as { rowsMax: number }).rowsMax), PROJECTS)
  })

  await t.test('what is chosen, on, or has a colour is told in a palette of the viewer’s own', async () => {
    const { page } = it
    const styleOf = (of: Locator, property: string) =>
      of.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)
    const backgroundOf = (of: Locator) => styleOf(of, 'background-color')
    await page.emulateMedia({ forcedColors: 'active' })

    await it.visit(`/sites/${siteId}/settings`)
    const areas = page.getByRole('navigation', { name: 'Areas' })
    const area = (name: string) => areas.getByRole('link', { name })
    assert.notEqual(await backgroundOf(area('Sites')), await backgroundOf(area('Projects')))
    const tab = (name: string) => page.getByRole('link', { name, exact: true }).last()
    const lineOf = (name: string) => styleOf(tab(name), 'border-bottom-color')
    assert.notEqual(await lineOf('Settings'), await lineOf('Block rules'))
    assert.equal(await lineOf('Coverage'), await lineOf('Block rules'))

    const track = page.locator('.mantine-Switch-track').first()
    assert.equal(await styleOf(track, 'border-top-style'), 'solid')
    const open = await backgroundOf(track)
    await page.getByRole('switch').first().press('Space')
    await page.getByRole('button', { name: 'Close site' }).click()
    await eventually(async () => (await backgroundOf(track)) !== open)

    const mark = (outcome: string) => page.locator(`[data-outcome="${outcome}"]`).first()
    await it.visitUntil('/traffic', mark('gate'))
    await mark('origin').waitFor()
    assert.notEqual(await backgroundOf(mark('gate')), await backgroundOf(mark('origin')))
    const live = page.getByRole('button', { name: 'Live', exact: true })
    const idle = await backgroundOf(live)
    await live.click()
    const following = page.getByRole('button', { name: 'Stop live', pressed: true })
    await eventually(async () => (await backgroundOf(following)) !== idle)
  })
})
