/** The console without a mouse: where the focus is when a dialog opens, and that what was pressed does not lose it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole } from './support/console.ts'

const SHOP = 'shop.gate.localhost'

test('the console by the keyboard alone', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  let siteId = ''
  before(async () => {
    it = await openConsole()
    siteId = (await createSite(it.installation, SHOP, it.origin.url)).id
    const { body } = await it.installation.api<{ id: string }>('POST', '/api/Projects', {
      name: 'Winter test',
    })
    assert.ok(body.id)
    await it.installation.api('POST', '/api/ApiKeys', { name: 'Pipeline', role: 'viewer' })
  })
  after(() => it.close())

  const focused = () => it.page.locator(':focus')
  const press = async (name: string | RegExp): Promise<void> => {
    await it.page.getByRole('button', { name }).first().focus()
    await it.page.keyboard.press('Enter')
  }

  await t.test('a dialog with a form opens on its first field, and gives the focus back', async () => {
    for (const [path, button, field] of [
      ['/projects', 'Add a project', 'Name'],
      [`/sites/${siteId}/firewall`, 'Add an override', 'Rule'],
      [`/sites/${siteId}/firewall`, 'Add an exclusion', 'Rule'],
      ['/gateways', 'Enrol a gateway', 'Name of the gateway'],
      ['/researchers', 'Invite', 'E-mail address'],
    ] as const) {
      await it.visit(path)
      await press(button)
      const dialog = it.page.getByRole('dialog')
      await dialog.getByLabel(field, { exact: false }).and(focused()).first().waitFor()
      await it.page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      assert.equal(await focused().textContent(), button)
    }
  })

  await t.test('a key that was rotated is copied at once, and its button has the focus again', async () => {
    await it.visit('/organization/keys')
    await press('Rotate Pipeline')
    const dialog = it.page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Copy' }).and(focused()).waitFor()
    await it.page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await focused().getAttribute('aria-label'), 'Rotate Pipeline')
  })

  await t.test(
    'Save can be reached before anything was changed, says why it does nothing, and keeps the focus',
    async () => {
      const { page } = it
      for (const [path, field] of [
        ['/organization/details', 'Contact for researchers'],
        ['/organization/billing', 'City'],
        [`/sites/${siteId}/settings`, 'Gated name'],
      ] as const) {
        await it.visit(path)
        const save = page.getByRole('button', { name: 'Save', exact: true })
        await save.and(page.getByTitle('Nothing has been changed yet')).waitFor()
        assert.equal(await save.isDisabled(), true)
        const input = page.getByRole('textbox', { name: field })
        await input.fill(path.startsWith('/sites') ? `new-${SHOP}` : 'ask@example.com')
        await save.and(page.getByRole('button', { disabled: false })).focus()
        await page.keyboard.press('Enter')
        await save.and(page.getByTitle('Nothing has been changed yet')).waitFor()
        assert.equal(await focused().textContent(), 'Save')
      }
    },
  )

  await t.test('the switch that opens a site keeps the focus while it works', async () => {
    const { page } = it
    await it.visit('/sites')
    await page.getByRole('switch').first().focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Close site' }).focus()
    await page.keyboard.press('Enter')
    await page
      .getByText(/is closing|is closed/)
      .first()
      .waitFor()
    await page.getByRole('switch', { checked: false }).and(focused()).waitFor()
    await page.keyboard.press('Space')
    await page.getByRole('switch', { checked: true }).and(focused()).waitFor()
  })

  await t.test('the window says which part of a site it shows', async () => {
    for (const [tab, part] of [
      ['settings', 'Settings'],
      ['firewall', 'Firewall'],
    ] as const) {
      await it.visit(`/sites/${siteId}/${tab}`)
      const title = new RegExp(`^${part} · .*${SHOP} · Sallyport$`)
      await eventually(async () => title.test(await it.page.title()))
    }
  })

  await t.test('who may only look is told so, and types into nothing that cannot be saved', async () => {
    const { page } = it
    await page.route('**/api/Account/session', async (route) => {
      const answer = await route.fetch()
      const text = await answer.text()
      await route.fulfill({ response: answer, body: text.replaceAll('"owner"', '"viewer"') })
    })
    await it.visit(`/sites/${siteId}/settings`)
    await page.getByText('Your role may look at this site, not change it.').waitFor()
    for (const name of ['Origin', 'Gated name', 'Open from', 'Closes at'])
      assert.equal(await page.getByRole('textbox', { name, exact: true }).isEditable(), false, name)
    assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0)
    await it.visit('/organization')
    await page.getByLabel('Contact for researchers').waitFor()
    const parts = page.getByRole('navigation', { name: 'Parts of the organization' })
    assert.deepEqual(await parts.getByRole('link').allTextContents(), ['Details'])
    await it.visit('/setup')
    await page.getByText('Your role does not include this').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Origin' }).count(), 0)
    await page.unrouteAll()
  })
})
