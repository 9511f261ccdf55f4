/** The documents of a site: uploaded, refused with their places, compared, brought back and removed by hand. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { violationsOf } from './support/accessibility.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole } from './support/console.ts'

const HEAD = 'openapi: 3.1.0\ninfo: {title: Shop, version: "1"}\npaths:\n'
const FIRST = `${HEAD}  /orders:\n    get: {}\n    post: {}\n`
const SECOND = `${HEAD}  /orders:\n    get: {deprecated: true}\n`

test('the documents of a site', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  before(async () => {
    it = await openConsole()
    const site = await createSite(it.installation, 'shop.gate.localhost', it.origin.url)
    await it.visit(`/sites/${site.id}/definition`)
  })
  after(() => it.close())
  /** A picture to look at, where a folder for them is named. */
  const picture = async (name: string): Promise<void> => {
    const folder = process.env.SALLYPORT_TEST_PICTURES
    if (folder) await it.page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
  }
  const upload = async (text: string): Promise<void> => {
    const { page } = it
    await page.getByRole('button', { name: 'Upload a document' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('main')
    await dialog.getByLabel('Or paste it').fill(text)
    await dialog.getByRole('button', { name: 'Upload' }).click()
  }

  await t.test('one that is wrong is refused with its place in words', async () => {
    const { page } = it
    await page.getByText('No document yet').waitFor()
    await picture('empty')
    assert.deepEqual(await violationsOf(page), [])
    await upload(`${HEAD}  /orders:\n    get: {responses: 7}\n`)
    const fault = page.getByRole('dialog').getByRole('alert')
    await fault.getByText('paths › /orders › get › responses').waitFor()
    await fault.getByText(/line 5, column/).waitFor()
    await picture('refused')
    assert.deepEqual(await violationsOf(page), [])
    await page.keyboard.press('Escape')
    const question = page.getByRole('dialog', { name: 'Discard what you entered?' })
    await question.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  })

  await t.test('one that is right is listed, and its next version compared and taken back', async () => {
    const { page } = it
    await upload(FIRST)
    const row = page.getByRole('table', { name: 'Documents' }).getByRole('row').nth(1)
    await row.getByText('OpenAPI 3.1').waitFor()
    await upload(SECOND)
    // It is asked for when somebody comes near, and what comes above it meanwhile pushes it away.
    const shown = page.getByRole('region', { name: 'OpenAPI document' })
    await eventually(async () => {
      await shown.evaluate((panel) => panel.scrollIntoView())
      return shown.getByText(/"deprecated": true/).isVisible()
    })
    await picture('list')
    assert.deepEqual(await violationsOf(page), [])
    await row.getByRole('button', { name: 'Versions of main' }).click()
    await page.getByRole('button', { name: 'Compare version 1 with the one in force' }).click()
    await page.getByText('2 changes, 1 of them breaking').waitFor()
    await page.getByText('Operation removed').waitFor()
    await picture('difference')
    assert.deepEqual(await violationsOf(page), [])
    await page.setViewportSize({ width: 390, height: 800 })
    await picture('difference-390')
    await page.emulateMedia({ colorScheme: 'dark' })
    // Colours that are still on their way from light to dark can be read by nobody.
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
    await page.waitForFunction(() => document.getAnimations().length === 0)
    await picture('difference-dark')
    assert.deepEqual(await violationsOf(page), [])
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Restore version 1' }).click()
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText('as 1 was').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText(/"post"/).waitFor()
    await picture('list-dark')
  })

  await t.test('a removed one is gone', async () => {
    const { page } = it
    await page.getByRole('button', { name: 'Remove main', exact: true }).click()
    await page.getByRole('button', { name: 'Remove the document' }).click()
    await page.getByText('No document yet').waitFor()
  })
})
