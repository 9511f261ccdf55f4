/** The operations of an API in the console: learned of traffic, taken into the definition, compared with a document, and the route of the record. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Site } from '@sallyport/contract'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { violationsOf } from './support/accessibility.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'

const SHOP = 'shop.gate.localhost'
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/people/{who}': {
      parameters: [{ name: 'who', in: 'path', required: true, schema: { type: 'integer' } }],
      get: { responses: { 200: { description: 'One.' } } },
    },
    '/old': { get: { deprecated: true, responses: { 200: { description: 'All.' } } } },
    '/unused': { delete: { responses: { 204: { description: 'Gone.' } } } },
  },
}

test('the operations of an API', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  let site: Site
  before(async () => {
    it = await openConsole()
    site = await createSite(it.installation, SHOP, it.origin.url)
  })
  after(() => it.close())
  const path = () => `/sites/${site.id}/definition`
  const shoot = async (name: string): Promise<void> => {
    const folder = process.env.SALLYPORT_TEST_PICTURES
    if (folder) await it.page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
  }

  await t.test('without traffic and without a document the page says so', async () => {
    await it.visit(path())
    await it.page.getByText('No operations known yet').waitFor()
    await it.page.getByText('No document to compare with').waitFor()
    assert.deepEqual(await violationsOf(it.page), [])
    await shoot('definition-empty')
  })

  await t.test(
    'what was asked for is listed, with its evidence, and taken into the definition and out',
    async () => {
      const { page, installation } = it
      for (const target of ['/people/17?full=true', '/people/ann', '/old', '/hidden/9/parts'])
        await installation.gate(SHOP, target)
      const operations = page.getByRole('table', { name: 'Operations' })
      const hidden = operations.getByRole('row').filter({ hasText: '/hidden/' })
      await it.visitUntil(path(), hidden)
      await hidden.getByText('Candidate').waitFor()
      await hidden.getByRole('button', { name: /^Add to the definition/ }).click()
      await hidden.getByText('Confirmed').waitFor()
      await page.getByText('The operation is added to the definition.').waitFor()
      await hidden.getByRole('button', { name: /^Remove from the definition/ }).click()
      await hidden.getByText('Candidate').waitFor()
      await page.getByLabel('State').selectOption('confirmed')
      await page.getByText('No operations match').waitFor()
      await page.getByLabel('State').selectOption('all')
      await hidden.waitFor()
    },
  )

  await t.test('an uploaded document is compared with the traffic, by keyboard, too', async () => {
    const { page, installation } = it
    const { status } = await installation.api('PUT', `/api/Sites/${site.id}/definition`, DOCUMENT)
    assert.equal(status, 204)
    await it.visit(path())
    const findings = page.getByRole('table', { name: 'Findings' })
    await page.getByLabel('Minimum researchers').selectOption('1')
    const rowOf = (template: string) => findings.getByRole('row').filter({ hasText: template })
    await rowOf('/hidden/').getByText('Shadow').waitFor()
    await rowOf('/unused').getByText('Orphan').waitFor()
    await rowOf('/old').getByText('Zombie').waitFor()
    await rowOf('/people/{who}').getByText('who is documented as integer but used as string').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await shoot('definition-compared')
    await page.setViewportSize({ width: 390, height: 844 })
    assert.deepEqual(await violationsOf(page), [])
    await shoot('definition-narrow')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByLabel('Kind of finding').selectOption('shadow')
    await rowOf('/unused').waitFor({ state: 'detached' })
    const first = findings.getByRole('link').first()
    await first.focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('No differences').waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    await shoot('definition-dark')
    await page.emulateMedia({ colorScheme: 'light' })
  })

  await t.test(
    'from then on the template is the route of the record, and leads to its requests',
    async () => {
      const { page, installation } = it
      await eventually(async () => {
        await installation.gate(SHOP, '/people/ben')
        const { body } = await installation.api<{ items: { route: string }[] }>(
          'GET',
          '/api/Analytics/requests?path=/people/ben&limit=1',
        )
        return body.items[0]?.route === '/people/{who}'
      }, 40_000)
      await it.visit(path())
      await page
        .getByRole('table', { name: 'Operations' })
        .getByRole('link', { name: '/people/{who}' })
        .click()
      await page.getByRole('gridcell', { name: '/people/ben' }).first().waitFor()
    },
  )

  await t.test('nothing failed on the way', () => assert.deepEqual(unexpected(it.browser.faults), []))
})
