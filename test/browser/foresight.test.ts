/** Changes with foresight: what a change would have refused is said before it is made, in the same words everywhere. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Hacker, Site } from '@sallyport/contract'
import type { Page } from 'playwright-core'
import { eventually, untilRecorded } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { violationsOf } from './support/accessibility.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'

const SHOP = 'shop.gate.localhost'
const TURNED = '/reports/\u202egnp.exe'

/** Once what opens has opened: half transparent, nothing has contrast. */
async function assertAccessible(page: Page): Promise<void> {
  await delay(500)
  assert.deepEqual(await violationsOf(page), [])
}

/** No violation, and nothing wider than the window. A picture is kept where a folder for it is named. */
async function assertFits(page: Page): Promise<void> {
  await assertAccessible(page)
  const folder = process.env.SALLYPORT_TEST_PICTURES
  if (folder) await page.screenshot({ path: `${folder}/foresight-${Date.now()}.png` })
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
}

test('changes with foresight', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  let site: Site
  before(async () => {
    it = await openConsole()
    site = await createSite(it.installation, SHOP, it.origin.url)
    for (const target of ['/reports/1', '/reports/2', '/', encodeURI(TURNED)])
      await it.installation.gate(SHOP, target)
    await it.installation.gate(SHOP, '/items?id=1%27%20union%20select%20password%20from%20users--')
    await untilRecorded(it.installation, 5)
  })
  after(() => it.close())

  await t.test('a block rule says whom it would have stopped, before it is saved', async () => {
    const { page } = it
    await it.visit(`/sites/${site.id}/blocks`)
    await page.getByRole('button', { name: 'Add a rule' }).click()
    await page.getByRole('textbox', { name: 'Path' }).fill('/reports')
    await page
      .getByText(
        'The last 7 days: at least 3 requests of 1 researcher would be refused, at least 3 look benign.',
      )
      .waitFor()
    await page.getByText('headers that name another path or method are not recorded').waitFor()
    await page.getByText('The newest 3').click()
    await page
      .getByRole('link', { name: /^Open the request/ })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Block rules saved.').waitFor()
  })

  await t.test(
    'the firewall, a limit, a list and a pause ask with the same words, and can be left',
    async () => {
      const { page, installation } = it
      const dialog = page.getByRole('dialog')
      const leave = async () => {
        await dialog.getByRole('button', { name: 'Cancel' }).click()
        await dialog.waitFor({ state: 'hidden' })
      }
      await it.visit(`/sites/${site.id}/firewall`)
      await page
        .getByRole('radiogroup', { name: 'Firewall mode' })
        .getByText('Enforce', { exact: true })
        .click()
      await dialog
        .getByText('The last 7 days: 1 request of 1 researcher would be refused, none look benign.')
        .waitFor()
      await leave()
      const { body } = await installation.api<{ mode: string }>('GET', `/api/Sites/${site.id}/firewall`)
      assert.equal(body.mode, 'observe')

      await it.visit(`/sites/${site.id}/settings`)
      await page.getByLabel('Rate-limit policy').selectOption('fixed')
      await dialog.getByText('The last 7 days: none of 5 requests would be refused.').waitFor()
      await leave()

      await it.visit(`/sites/${site.id}/access`)
      await page.getByText('Only this list', { exact: true }).click()
      await dialog
        .getByText(/^The last 7 days: 5 requests of 1 researcher would be refused, 4 look benign\.$/)
        .waitFor()
      await leave()

      const { id, email } = installation.firstRun.researcher
      await it.visit(`/researchers/${id}`)
      await page.getByRole('button', { name: 'Pause' }).click()
      await dialog.getByText(/^The last 7 days: 5 requests/).waitFor()
      await dialog.getByText(`${email} 5`).waitFor()
      await leave()
    },
  )

  await t.test('what a question asks for stays where it is when the effect is known', async () => {
    const { page } = it
    const held = Promise.withResolvers<void>()
    await page.route('**/api/Analytics/previewChange', async (route) => {
      await held.promise
      await route.continue()
    })
    await it.visit(`/researchers/${it.installation.firstRun.researcher.id}`)
    await page.getByRole('button', { name: 'Pause' }).click()
    const pause = page.getByRole('dialog').getByRole('button', { name: 'Pause researcher' })
    await page.getByRole('dialog').getByText('Checking the last 7 days').waitFor()
    const before = await pause.boundingBox()
    held.resolve()
    await page
      .getByRole('dialog')
      .getByText(/^The last 7 days: 5 requests/)
      .waitFor()
    assert.deepEqual(await pause.boundingBox(), before)
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.unrouteAll()
  })

  await t.test('where the record is away, the change can be made all the same', async () => {
    const { page, installation } = it
    const { id } = installation.firstRun.researcher
    await page.route('**/api/Analytics/previewChange', (route) => route.fulfill({ status: 503, body: '' }))
    await it.visit(`/researchers/${id}`)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText(/cannot be calculated right now\. You can still make the change\./).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause researcher' }).click()
    await page.getByText('Paused; refused at the gate within a second.').waitFor()
    await page.unrouteAll()
    const { body } = await installation.api<Hacker>('GET', `/api/Hackers/${id}`)
    assert.equal(body.paused, true)
  })

  await t.test('the tray keeps what was changed, says what an undo opens, and takes it back', async () => {
    const { page, installation } = it
    await it.visit('/sites')
    await page.getByRole('button', { name: 'Recent changes' }).click()
    const tray = page.getByRole('dialog', { name: 'Recent changes' })
    const row = tray.getByRole('listitem').filter({ hasText: `added /reports to the block rules of ${SHOP}` })
    await row.getByText('paths that they closed are open again').waitFor()
    await assertAccessible(page)
    await row.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    const { body } = await installation.api<Site>('GET', `/api/Sites/${site.id}`)
    assert.equal(body.blockList, '[]')
    // A pause is taken back; where it was taken back already, nothing more is done.
    await tray
      .getByRole('listitem')
      .filter({ hasText: `You paused ${installation.firstRun.researcher.email}` })
      .getByRole('button', { name: 'Undo' })
      .click()
    await eventually(async () => {
      const { id } = installation.firstRun.researcher
      return !(await installation.api<Hacker>('GET', `/api/Hackers/${id}`)).body.paused
    })
  })

  await t.test('the audit log speaks sentences that lead to what they are about', async () => {
    const { page } = it
    await it.visit('/organization/audit')
    const sentence = page.getByRole('link', { name: `added /reports to the block rules of ${SHOP}` })
    await sentence.first().waitFor()
    await assertAccessible(page)
    await sentence.first().click()
    await page.getByText('Blocked paths').waitFor()
  })

  await t.test('in the dark and on a telephone nothing is clipped and nothing is hard to read', async () => {
    const { page } = it
    const viewport = page.viewportSize()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 390, height: 844 })
    await it.visit(`/sites/${site.id}/firewall`)
    await page
      .getByRole('radiogroup', { name: 'Firewall mode' })
      .getByText('Enforce', { exact: true })
      .click()
    await page.getByText(/^The last 7 days: 1 request/).waitFor()
    await assertFits(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Recent changes' }).click()
    await page.getByRole('dialog', { name: 'Recent changes' }).getByRole('listitem').first().waitFor()
    await assertFits(page)
    await it.visit('/organization/audit')
    await page
      .getByRole('link', { name: /^added \/reports/ })
      .first()
      .waitFor()
    await assertFits(page)
    await page.emulateMedia({ colorScheme: 'light' })
    if (viewport) await page.setViewportSize(viewport)
  })

  await t.test('nothing went wrong on the way', () => {
    assert.deepEqual(unexpected(it.browser.faults, /503/), [])
  })
})
