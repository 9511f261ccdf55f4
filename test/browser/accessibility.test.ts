/** Every page of the console, light and dark, wide and narrow, by axe-core. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSite } from '../support/site.ts'
import { violationsOf } from './support/accessibility.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole } from './support/console.ts'

const SHOP = 'shop.gate.localhost'
const NARROW = { width: 420, height: 860 }
const WIDE = { width: 1440, height: 900 }
const SETTLE_MS = 250

test('no page has an accessibility violation', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  let paths: readonly string[] = []
  before(async () => {
    it = await openConsole()
    const site = await createSite(it.installation, SHOP, it.origin.url)
    const project = await it.installation.api<{ id: string }>('POST', '/api/Projects', {
      name: 'Winter test',
    })
    for (const target of ['/', '/search?q=1', '/missing']) await it.installation.gate(SHOP, target)
    const researcher = it.installation.firstRun.researcher.id
    const siteTabs = ['settings', 'access', 'blocks', 'firewall', 'words', 'definition', 'traffic']
    const organizationTabs = ['members', 'keys', 'billing', 'credits', 'audit']
    paths = [
      '/',
      '/setup',
      '/sites',
      ...siteTabs.map((tab) => `/sites/${site.id}/${tab}`),
      '/traffic',
      '/traffic?live=true',
      '/firewall',
      '/researchers',
      `/researchers/${researcher}`,
      '/projects',
      `/projects/${project.body.id}`,
      ...organizationTabs.map((tab) => `/organization/${tab}`),
      '/no-such-page',
    ]
  })
  after(() => it.close())

  for (const [scheme, viewport] of [
    ['light', WIDE],
    ['dark', WIDE],
    ['light', NARROW],
  ] as const)
    await t.test(`${scheme}, ${viewport.width} pixels wide`, async () => {
      await it.page.emulateMedia({ colorScheme: scheme })
      await it.page.setViewportSize(viewport)
      const found: string[] = []
      for (const path of paths) {
        await it.page.goto(`${it.consoleUrl}${path.slice(1)}`)
        await it.page.locator('h1, [role="status"], strong').first().waitFor()
        await it.page.waitForTimeout(SETTLE_MS)
        found.push(...(await violationsOf(it.page)).map((violation) => `${path}: ${violation}`))
      }
      assert.deepEqual(found, [])
    })

  await t.test('dialogs', async () => {
    await it.page.setViewportSize(WIDE)
    for (const [path, button] of [
      ['/researchers', 'Invite'],
      ['/researchers', 'Stop everything'],
      ['/organization/keys', 'Create a key'],
      ['/projects', 'Add a project'],
      ['/traffic', 'Views'],
    ] as const) {
      await it.visit(path)
      await it.page.getByRole('button', { name: button }).first().click()
      await it.page.waitForTimeout(SETTLE_MS)
      assert.deepEqual(await violationsOf(it.page), [], `${path}: ${button}`)
    }
    await it.visit('/traffic')
    await it.page.getByRole('gridcell', { name: '/missing' }).first().click()
    await it.page.getByRole('dialog').getByText('Request id').waitFor()
    assert.deepEqual(await violationsOf(it.page), [], 'one request in full')
    await it.visit('/')
    await it.page.keyboard.press('/')
    await it.page.getByRole('combobox').waitFor()
    assert.deepEqual(await violationsOf(it.page), [], 'the command palette')
  })
})
