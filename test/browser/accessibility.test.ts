/** Every page of the console and of its sign-in, in every state, light and dark, wide and narrow, by axe-core; and how often each asks the API to be shown. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { violationsInBothSchemes, violationsOf } from './support/accessibility.ts'
import { countApiCalls } from './support/calls/api-calls.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole } from './support/console.ts'
import { consolePaths } from './support/console-pages.ts'

const SHOP = 'shop.gate.localhost'
const NARROW = { width: 420, height: 860 }
const PHONE = { width: 375, height: 800 }
const WIDE = { width: 1440, height: 900 }
/** The pages that people are sent to; each shows lists, figures or both. */
const AREAS = ['/', '/sites', '/traffic', '/firewall', '/researchers', '/projects', '/gateways']
const SETTLE_MS = 250
/** To show a page, whatever there is of sites and researchers. */
const CALLS_MAX = 6
const UUID = /[\da-f]{8}-[\da-f-]{27}/g
const FAR_AHEAD_MS = 60_000
const THERE_DEADLINE_MS = 30_000

/**
 * Once nothing is on its way: what is about to be replaced is drawn paler, and what lies far below is asked for when somebody comes near.
 * Between two pages, of which one leads to the other, there is none.
 */
const isThere = async (page: Page): Promise<void> => {
  await eventually(async () => {
    const loading = await page.getByText('Loading…').evaluateAll((parts) => {
      for (const part of parts) part.scrollIntoView()
      return parts.length
    })
    return loading === 0 && (await page.locator('h1').count()) > 0
  }, THERE_DEADLINE_MS)
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
}

test('no page has an accessibility violation', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  let paths: readonly string[] = []
  before(async () => {
    it = await openConsole()
  })
  after(() => it.close())

  /** What is wrong with the page as it stands, each with its name. Every second page is seen in the dark first. */
  const wrong = async (name: string): Promise<string[]> =>
    (await violationsInBothSchemes(it.page)).map((violation) => `${name}: ${violation}`)
  const open = async (path: string): Promise<void> => {
    await it.page.goto(`${it.consoleUrl}${path.slice(1)}`)
    await it.page.locator('h1').first().waitFor()
  }

  await t.test('with nothing in it yet', async () => {
    const found: string[] = []
    for (const path of [...AREAS, '/groups', '/organization/notifications', '/organization/credits']) {
      await open(path)
      // Where there is no site yet, the first page leads on.
      if (path === '/') await it.page.waitForURL('**/setup')
      await isThere(it.page)
      found.push(...(await wrong(`${path}, empty`)))
    }
    assert.deepEqual(found, [])
  })

  await t.test('every page, light and dark, wide and narrow, by six calls at most', async (page) => {
    const site = await createSite(it.installation, SHOP, it.origin.url)
    const project = await it.installation.api<{ id: string }>('POST', '/api/Projects', {
      name: 'Winter test',
    })
    for (const target of ['/', `/search?q=${encodeURIComponent("' or 1=1 -- ")}`, '/missing'])
      await it.installation.gate(SHOP, target)
    const researcherId = it.installation.firstRun.researcher.id
    const pages = consolePaths({ siteId: site.id, researcherId, projectId: project.body.id })
    const gone = ['sites', 'projects', 'researchers'].map((kind) => `/${kind}/${randomUUID()}`)
    paths = [...pages, ...gone, '/traffic?live=true', '/no-such-page']
    const found: string[] = []
    const { callsOf, done } = await countApiCalls(it.page)
    for (const path of paths) {
      await it.page.setViewportSize(WIDE)
      const calls = await callsOf(`${it.consoleUrl}${path.slice(1)}`)
      page.diagnostic(`${path.replaceAll(UUID, '…')} asks the API ${calls.length} times`)
      assert.ok(calls.length > 0 && calls.length <= CALLS_MAX, `${path}: ${calls.join(', ')}`)
      await isThere(it.page)
      found.push(...(await wrong(`${path}, ${WIDE.width} pixels wide`)))
      await it.page.setViewportSize(NARROW)
      const narrow = await violationsOf(it.page)
      found.push(...narrow.map((violation) => `${path}, ${NARROW.width} pixels wide: ${violation}`))
    }
    await done()
    assert.deepEqual(found, [])
  })

  await t.test(
    'while it loads, while the control plane is away, and with what is of a while ago',
    async (state) => {
      const { page } = it
      state.after(() => page.unrouteAll({ behavior: 'ignoreErrors' }))
      await page.setViewportSize(WIDE)
      const found: string[] = []
      const states: readonly (readonly [
        name: string,
        act: (route: Route) => unknown,
        sign: string | RegExp,
      ])[] = [
        // Nothing is answered: the calls are given up when the page is left.
        ['loading', () => undefined, 'Connecting'],
        ['away', (route) => route.abort(), 'Away'],
      ]
      for (const [name, act, sign] of states) {
        await page.route('**/api/**', act)
        for (const path of AREAS) {
          await open(path)
          await page.getByText(sign, { exact: true }).first().waitFor()
          found.push(...(await wrong(`${path}, ${name}`)))
        }
        await page.unrouteAll({ behavior: 'ignoreErrors' })
      }
      // Pages that follow nothing: a stream that goes on would say that the control plane is there.
      for (const path of ['/sites', '/researchers']) {
        await open(path)
        await isThere(page)
        await page
          .getByText(/^Live · /)
          .first()
          .waitFor()
        await page.route('**/api/**', () => undefined)
        // By its clock nothing was answered for a minute.
        await page.evaluate((aheadMs) => {
          const now = Date.now
          Date.now = () => now() + aheadMs
        }, FAR_AHEAD_MS)
        await page
          .getByText(/^Stale · /)
          .first()
          .waitFor()
        found.push(...(await wrong(`${path}, stale`)))
        await page.unrouteAll({ behavior: 'ignoreErrors' })
      }
      assert.deepEqual(found, [])
    },
  )

  await t.test('a phone shows the kill switch whole and names the fields of a block rule', async () => {
    const { page } = it
    await page.setViewportSize(PHONE)
    await it.visit(paths.find((path) => path.endsWith('/blocks')) ?? '')
    const words = page.getByText('Stop everything', { exact: true })
    assert.ok(await words.evaluate((element) => element.scrollWidth <= element.clientWidth))
    await page.getByRole('button', { name: 'Add a rule' }).click()
    const rule = page.getByRole('group', { name: 'Rule 1' })
    for (const name of ['Path', 'Methods', 'Status', 'Note', 'Until'])
      assert.ok(((await rule.getByText(name, { exact: true }).boundingBox())?.width ?? 0) > 10, name)
  })

  await t.test('who wants no motion sees at once what changes', async () => {
    const moving = await it.page.locator('main').evaluate((main) => {
      main.style.paddingInlineStart = '99px'
      getComputedStyle(main).getPropertyValue('padding-inline-start')
      const moves = main.getAnimations().length
      main.style.removeProperty('padding-inline-start')
      return moves
    })
    assert.equal(moving, 0)
  })

  await t.test('dialogs', async () => {
    await it.page.setViewportSize(WIDE)
    await it.visit('/')
    await it.page.getByRole('button', { name: 'Recent changes' }).click()
    await it.page.getByRole('dialog').waitFor()
    assert.deepEqual(await wrong('recent changes'), [])
    for (const [path, button] of [
      ['/sites', 'Theme:'],
      ['/sites', 'Account'],
      ['/researchers', 'Invite'],
      ['/researchers', 'Stop everything'],
      ['/organization/keys', 'Create a key'],
      ['/organization/notifications', 'Add a destination'],
      ['/projects', 'Add a project'],
      ['/traffic', 'Views'],
      ['/traffic', 'Keyboard shortcuts'],
    ] as const) {
      await it.visit(path)
      await it.page.getByRole('button', { name: button }).first().click()
      await it.page.waitForTimeout(SETTLE_MS)
      assert.deepEqual(await violationsOf(it.page), [], `${path}: ${button}`)
    }
    await it.visit('/traffic')
    await it.page.getByRole('gridcell', { name: '/missing' }).first().click()
    await it.page.getByText('Request id').waitFor()
    assert.deepEqual(await violationsOf(it.page), [], 'one request in full')
    await it.visit('/')
    await it.page.keyboard.press('/')
    await it.page.getByRole('combobox').waitFor()
    assert.deepEqual(await violationsOf(it.page), [], 'the command palette')
  })

  await t.test('signing in, a wrong password, and choosing one', async () => {
    const { page, installation } = it
    const { body } = await installation.api<{ invitation: string }>('POST', '/api/Members', {
      email: 'mira@example.com',
      name: 'Mira',
      role: 'viewer',
    })
    for (const scheme of ['light', 'dark'] as const) {
      await page.context().clearCookies()
      // A new tab holds no tokens.
      const stranger = await page.context().newPage()
      await stranger.emulateMedia({ colorScheme: scheme })
      await stranger.goto(body.invitation)
      await stranger.locator('input[type="password"]').first().waitFor()
      assert.deepEqual(await violationsOf(stranger), [], `${scheme}: choosing a password`)
      await stranger.goto(it.consoleUrl)
      await stranger.locator('input[name="email"]').fill('mira@example.com')
      assert.deepEqual(await violationsOf(stranger), [], `${scheme}: signing in`)
      await stranger.locator('input[name="password"]').fill('not the password')
      await stranger.keyboard.press('Enter')
      await stranger.locator('[role="alert"]').waitFor()
      assert.deepEqual(await violationsOf(stranger), [], `${scheme}: a wrong password`)
      await stranger.close()
    }
  })
})
