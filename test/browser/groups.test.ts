/** The page of groups: an application on two hosts is put together and taken apart by hand. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { violationsOf } from './support/accessibility.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole } from './support/console.ts'

test('a group of sites', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  before(async () => {
    it = await openConsole()
    for (const name of ['one', 'two'])
      await createSite(it.installation, `${name}.gate.localhost`, it.origin.url)
  })
  after(() => it.close())
  const untilServed = (gatedName: string) =>
    eventually(async () => (await it.installation.gate(gatedName, '/')).status === 200)

  await t.test('is made, and refused under a name that is taken', async () => {
    const { page } = it
    await it.visit('/sites')
    await page.getByRole('link', { name: 'Groups' }).click()
    await page.getByText('No group yet').waitFor()
    await page.getByRole('button', { name: 'Add a group' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Gated name').fill('one.gate.localhost')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByText('This gated name is taken.').first().waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByLabel('Gated name').fill('pair.gate.localhost')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('heading', { name: 'pair.gate.localhost' }).waitFor()
  })

  await t.test('takes sites in under their labels', async () => {
    const { page } = it
    for (const name of ['one', 'two']) {
      await page
        .getByLabel('Site to add to pair.gate.localhost')
        .selectOption({ label: `${name}.gate.localhost (${it.origin.url})` })
      await page.getByLabel('Label under pair.gate.localhost').fill(name)
      await page.getByRole('button', { name: 'Add to group' }).click()
      await page.getByRole('link', { name: `${name}.pair.gate.localhost` }).waitFor()
    }
    assert.deepEqual(await violationsOf(page), [])
    for (const name of ['one', 'two']) await untilServed(`${name}.pair.gate.localhost`)
    const many = 'https://*.many.example'
    await createSite(it.installation, 'many.gate.localhost', many)
    await page.reload()
    await page
      .getByLabel('Site to add to pair.gate.localhost')
      .selectOption({ label: `many.gate.localhost (${many})` })
    assert.equal(await page.getByLabel('Label under pair.gate.localhost').inputValue(), '*')
    await page.getByRole('button', { name: 'Add to group' }).click()
    await page.getByRole('link', { name: '*.pair.gate.localhost' }).waitFor()
    assert.equal((await it.installation.gate('one.gate.localhost', '/')).status, 401, 'its name is another')
  })

  await t.test('is renamed with its sites, and lets them go', async () => {
    const { page } = it
    await page.getByRole('button', { name: 'Rename' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Gated name').fill('couple.gate.localhost')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('link', { name: 'two.couple.gate.localhost' }).waitFor()
    await page.getByRole('button', { name: 'Remove from group: two.couple.gate.localhost' }).click()
    await dialog.getByRole('button', { name: 'Remove from group' }).click()
    await page.getByRole('link', { name: 'two.couple.gate.localhost' }).waitFor({ state: 'detached' })
    for (const name of ['one', '*']) {
      await page.getByRole('button', { name: `Remove from group: ${name}.couple.gate.localhost` }).click()
      await dialog.getByRole('button', { name: 'Remove from group' }).click()
      await page.getByRole('link', { name: `${name}.couple.gate.localhost` }).waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove group' }).click()
    await page.getByText('No group yet').waitFor()
    // Made of the origin's address.
    await untilServed('127-0-0-1.gate.localhost')
  })
})
