/** The traffic page as somebody investigates with it: the filter bar, by the keyboard alone. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { violationsOf } from './support/accessibility.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'

const SHOP = 'shop.gate.localhost'
const NAME = 'Scripts \u202e& <b>more</b>'
const TARGETS = ['/files/a', '/files/b', '/missing', `/long/${'x'.repeat(8_000)}`]

test('investigating the traffic', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  before(async () => {
    it = await openConsole()
    const { installation } = it
    await createSite(installation, SHOP, it.origin.url)
    const { researcher } = installation.firstRun
    await installation.api('PATCH', `/api/Hackers/${researcher.id}`, { name: NAME })
    for (const target of TARGETS) await installation.gate(SHOP, target)
    await installation.gate(SHOP, '/files/stranger', { key: null })
    await eventually(async () => {
      const { body } = await installation.api<{ total: number }>('GET', '/api/Analytics/facets')
      return body.total === TARGETS.length + 1
    })
  })
  after(() => it.close())

  const bar = () => it.page.getByRole('combobox', { name: 'Filter requests' })
  const cell = (name: string) => it.page.getByRole('gridcell', { name }).first()

  await t.test('filters are typed with the keyboard alone, and completed from what there is', async () => {
    const { page } = it
    await it.visit('/traffic')
    await cell('/files/a').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('resea')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    assert.equal(await bar().inputValue(), 'researcher:')
    await page.keyboard.type('scr')
    await page.getByRole('option', { name: /Scripts/ }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await page.keyboard.type('path:/files')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove the filter: Path is /files' }).waitFor()
    const { searchParams } = new URL(page.url())
    assert.equal(searchParams.get('hacker'), it.installation.firstRun.researcher.id)
    assert.equal(searchParams.get('path'), '/files')
    // A hostile name is quoted, and what turns the direction of text is written as what it is.
    assert.equal(await bar().inputValue(), 'researcher:"Scripts \\u{202e}& <b>more</b>" path:/files')
    await cell('/missing').waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    assert.equal(new URL(page.url()).searchParams.get('hacker'), searchParams.get('hacker'))
  })

  await t.test('chips, address and line stay in step', async () => {
    const { page } = it
    await page.getByRole('button', { name: 'Remove the filter: Path is /files' }).click()
    await eventually(async () => !(await bar().inputValue()).includes('path:'))
    await page.goBack()
    await eventually(async () => (await bar().inputValue()).endsWith('path:/files'))
    await bar().fill('-path:/files researcher:""')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove the filter: Researcher is Stranger' }).waitFor()
    await page.getByRole('button', { name: 'Remove the filter: Path is not /files' }).waitFor()
  })

  await t.test('what cannot be read is said with its token, and nothing is asked', async () => {
    const { page } = it
    const address = page.url()
    await bar().fill('status:teapot researcher:Nobody')
    await page.keyboard.press('Enter')
    const alert = page.locator('form').getByRole('alert')
    await alert.getByText('"status" is a number such as 404, or a class such as 5xx.').waitFor()
    await alert.getByText('No researcher has this name alone.').waitFor()
    assert.equal(page.url(), address)
    const selected = await bar().evaluate((field: HTMLInputElement) =>
      field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0),
    )
    assert.equal(selected, 'status:teapot')
    assert.deepEqual(await violationsOf(page), [])
    await page.keyboard.press('Escape')
    await eventually(async () => (await bar().inputValue()).startsWith('researcher:""'))
    assert.deepEqual(unexpected(it.browser.faults), [])
  })
})
