/**
 * Stored XSS: two hundred hostile values in every place that someone else than the viewer fills in (targets, queries,
 * user agents, names, instructions, notes), shown by every page that shows them. No script runs, the security policy is
 * not even tried, and the values are there as text.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'
import { consolePaths } from './support/console-pages.ts'
import { HOSTILE_VALUES } from './support/hostile-values.ts'

const SHOP = 'shop.gate.localhost'
const RECORDED_WAIT_MS = 2_500

test('hostile content is text, wherever it shows', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  let paths: readonly string[] = []
  before(async () => {
    it = await openConsole()
    const site = await createSite(it.installation, SHOP, it.origin.url)
    await sendThroughGate(it)
    const named = await fillNames(it, site.id)
    paths = [
      ...consolePaths({ siteId: site.id, ...named }),
      '/traffic?live=true',
      `/traffic?search=${encodeURIComponent(HOSTILE_VALUES[0] ?? '')}`,
      `/traffic?tool=${encodeURIComponent(HOSTILE_VALUES[1] ?? '')}&outcome=%22%3E%3Csvg%20onload%3Dalert(1)%3E`,
    ]
    await new Promise((resolve) => setTimeout(resolve, RECORDED_WAIT_MS))
  })
  after(() => it.close())

  await t.test('there are two hundred different values', () => {
    assert.equal(new Set(HOSTILE_VALUES).size, 200)
  })

  await t.test('no page runs any of it', async () => {
    await it.page.addInitScript(() => {
      window.alert = () => console.error('a script ran')
    })
    for (const path of paths) {
      await it.page.goto(`${it.consoleUrl}${path.slice(1)}`)
      await it.page.getByRole('heading', { level: 1 }).first().waitFor()
      await it.page.waitForTimeout(300)
      await showAll(it)
      assert.equal(await it.page.locator('[data-injected], main script, main iframe').count(), 0, path)
    }
    assert.deepEqual(unexpected(it.browser.faults), [])
  })

  await t.test('a breach of the security policy would have been seen', async () => {
    const seen = it.browser.faults.length
    await it.visit('/')
    await it.page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'document.documentElement.dataset.ran = "yes"'
      document.body.append(script)
      const image = document.createElement('img')
      image.src = 'http://elsewhere.example/x.png'
      document.body.append(image)
    })
    await eventually(() => {
      const faults = it.browser.faults.slice(seen)
      const breaches = ['script-src-elem', 'img-src'].map((name) => `policy breach: ${name}`)
      return breaches.every((breach) => faults.some((fault) => fault.startsWith(breach)))
    })
    assert.equal(await it.page.evaluate(() => document.documentElement.dataset.ran), undefined)
    it.browser.faults.splice(seen)
  })

  await t.test('a request is shown as it was sent', async () => {
    await it.page.goto(`${it.consoleUrl}traffic?path=/hostile/0`)
    await it.page
      .getByRole('gridcell', { name: /hostile\/0/ })
      .first()
      .click()
    const target = await it.page
      .getByRole('region', { name: 'Request', exact: true })
      .locator('pre')
      .first()
      .textContent()
    assert.equal(target, `/hostile/0?q=${encodeURIComponent(HOSTILE_VALUES[0] ?? '')}`)
    const agent = HOSTILE_VALUES.map(asHeader)[0] ?? ''
    await it.page
      .getByRole('region', { name: 'Request', exact: true })
      .getByText(agent, { exact: true })
      .waitFor()
    assert.deepEqual(unexpected(it.browser.faults), [])
  })

  await t.test('a word without an end hides nothing beside it, and turns nothing around', async () => {
    const { page, installation } = it
    const name = `\u202e${'W'.repeat(150)}`
    await installation.api('POST', '/api/Hackers', { email: 'endless@example.com', name })
    await it.visit('/researchers')
    const row = page.getByRole('row', { name: /endless@example\.com/ })
    assert.ok(await isInside(row.getByText('Active', { exact: true })))
    await it.visit(paths.find((path) => path.endsWith('/access')) ?? '')
    const label = page.locator('label', { hasText: 'endless@example.com' })
    assert.equal(await label.locator('bdi').textContent(), name)
    assert.ok(await isInside(page.getByText('Active', { exact: true }).first()))
    const projectPath = paths.find((path) => path.endsWith('/items')) ?? ''
    const item = { projectId: projectPath.split('/')[2], name: 'W'.repeat(200) }
    await installation.api('PUT', '/api/Projects/updateProjectItem', item)
    await it.visit(projectPath)
    const named = page.getByText(item.name)
    await named.scrollIntoViewIfNeeded()
    const cell = page.getByRole('cell').filter({ has: named })
    assert.ok(await cell.evaluate((part) => part.scrollWidth <= part.clientWidth), 'it lies over its state')
    await it.visit(`/traffic?path=/${'W'.repeat(250)}`)
    const chip = page.getByRole('button', { name: /^Remove the filter/ })
    assert.ok(await isInside(chip))
    await chip.click({ position: { x: ((await chip.boundingBox())?.width ?? 0) - 8, y: 8 } })
    await chip.waitFor({ state: 'detached' })
  })
})

/** Header values cannot hold line ends or characters beyond Latin-1. */
const asHeader = (value: string): string => value.replace(/[^\x20-\x7e]/g, '')

/** Each value once as a query, once raw in the path where HTTP allows it, and as the user agent. */
async function sendThroughGate({ installation }: ConsoleUnderTest): Promise<void> {
  for (const [index, value] of HOSTILE_VALUES.entries()) {
    const headers = { 'user-agent': asHeader(value) }
    await installation.gate(SHOP, `/hostile/${index}?q=${encodeURIComponent(value)}`, { headers })
    const raw = value.replace(/[^\x21-\x7e]|[#?%]/g, '')
    await installation.gate(SHOP, `/${raw}`, { headers })
  }
}

/** The values where people are asked for words, as many at once as each field takes. */
async function fillNames({ installation }: ConsoleUnderTest, siteId: string) {
  const all = HOSTILE_VALUES.join('\n')
  const value = (index: number) => (HOSTILE_VALUES[index] ?? '').slice(0, 180)
  const rules = HOSTILE_VALUES.map((note, index) => ({ pathPrefix: `/blocked/${index}`, note }))
  const put = async (method: string, path: string, body: unknown): Promise<{ readonly id: string }> => {
    const answer = await installation.api<{ id: string }>(method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await put('PATCH', `/api/Sites/${siteId}`, { instructions: all, credentials: all })
  await put('POST', '/api/Sites/setBlockList', { id: siteId, blockList: JSON.stringify(rules) })
  const exclusions = HOSTILE_VALUES.map((note, index) => ({
    id: `exclusion-${index}`,
    rule: note.slice(0, 120),
    note,
  }))
  await put('PUT', `/api/Sites/${siteId}/firewall`, { mode: 'observe', exclusions })
  for (let index = 0; index < HOSTILE_VALUES.length; index++)
    await put('POST', '/api/Hackers', { email: `hostile-${index}@example.com`, name: value(index) })
  const { id: researcherId } = await put('POST', '/api/Hackers', { email: 'x@example.com', name: value(60) })
  const { id: projectId } = await put('POST', '/api/Projects', {
    name: value(61),
    owner: value(62),
    vendor: value(63),
    type: value(64),
    description: all,
    note: all,
  })
  for (let index = 0; index < HOSTILE_VALUES.length; index++)
    await put('PUT', '/api/Projects/updateProjectItem', {
      projectId,
      name: value(index),
      location: value(index),
    })
  for (const index of [83, 84, 85]) {
    await put('POST', '/api/ApiKeys', { name: value(index), role: 'viewer' })
    await put('POST', '/api/Members', { email: `m-${index}@example.com`, name: value(index), role: 'viewer' })
    await put('POST', '/api/Projects', { name: value(index) })
  }
  await put('POST', '/api/Billing', { bussinessName: value(80), address: value(81), city: value(82) })
  return { researcherId, projectId }
}

/** Whether all of an element is within the width of the window's main part. */
async function isInside(element: Locator): Promise<boolean> {
  const main = await element.page().locator('main').boundingBox()
  const box = await element.boundingBox()
  return main !== null && box !== null && box.x >= main.x && box.x + box.width <= main.x + main.width
}

/** Brings every row into the document once: all pages of a list, and the whole of the request table. */
async function showAll({ page }: ConsoleUnderTest): Promise<void> {
  const more = page.getByRole('button', { name: 'Show more' })
  const loading = page.locator('button[data-loading="true"]')
  for (let pages = 0; pages < 3; pages++) {
    // While the next rows are on their way it cannot be clicked, and with the last ones it goes.
    await loading.first().waitFor({ state: 'detached' })
    if ((await more.count()) === 0) break
    await more.first().click()
    await page.waitForTimeout(300)
  }
  const grid = page.getByRole('grid')
  if ((await grid.count()) === 0) return
  await grid.first().focus()
  for (let step = 0; step < 30; step++) await page.keyboard.press('PageDown')
}
