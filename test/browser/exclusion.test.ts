/** A firewall hit that is none: from the recorded request to an exclusion, tried on recorded traffic before it holds; and the level of evidence. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FirewallSettings, Site } from '@sallyport/contract'
import { eventually, untilRecorded } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'

const SHOP = 'shop.gate.localhost'
const ATTACK = `/search?q=${encodeURIComponent("1' or 1=1 --")}`

test('an exclusion with its back-test', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  let site: Site
  before(async () => {
    it = await openConsole()
    site = await createSite(it.installation, SHOP, it.origin.url)
    for (let index = 0; index < 3; index++) await it.installation.gate(SHOP, ATTACK)
    await it.installation.gate(SHOP, `/other${ATTACK}`)
    await untilRecorded(it.installation, 4)
  })
  after(() => it.close())

  await t.test('a hit proposes the narrowest exclusion and shows what it would have done', async () => {
    const { page } = it
    await it.visit('/firewall')
    await page.getByText(/^[1-9]\d* hits over time$/).waitFor()
    const newest = page.getByRole('table', { name: 'Newest hits' })
    await newest
      .getByText(/^0\.\d\d$/)
      .first()
      .waitFor()
    await page.getByLabel('Score').selectOption('98')
    await newest.getByRole('link').first().click()
    await page
      .getByText(/^Because of: ./)
      .first()
      .waitFor()
    await page.getByText(/^Score is at least 0\.98$/).waitFor()
    await it.visit('/traffic?path=/search')
    await page.getByRole('gridcell', { name: '/search' }).first().click()
    await page.getByText(/^The \d+ rules, and what each matched$/).click()
    await page
      .getByRole('button', { name: /^Exclude only / })
      .first()
      .click()
    const form = page.getByRole('dialog', { name: 'Make an exclusion' })
    assert.equal(await form.getByLabel('Path').inputValue(), '/search')
    assert.equal(await form.getByLabel('Parameter').inputValue(), 'q')
    assert.notEqual(await form.getByLabel('Rule').inputValue(), '')
    await form.getByText(/it would remove 3 of [1-9]\d* hits/).waitFor()
    await form.getByLabel('Path').fill('/other')
    assert.equal(await form.getByRole('button', { name: 'Save exclusion' }).isDisabled(), true)
    await form.getByLabel('Path').fill('/search')
    assert.equal(await form.getByText('/other').count(), 0)
    await form.getByRole('button', { name: 'Save exclusion' }).click()
    await page.getByText('The exclusion is in force.').waitFor()
  })

  await t.test('it holds at the gate, and its undo takes it back', async () => {
    const { page, installation } = it
    const settings = await installation.api<FirewallSettings>('GET', `/api/Sites/${site.id}/firewall`)
    const rule = settings.body.exclusions[0]?.rule ?? ''
    assert.equal(settings.body.exclusions[0]?.pathPrefix, '/search')
    await eventually(async () => {
      await installation.gate(SHOP, ATTACK)
      const { body } = await installation.api<{ items: { hits: { rule: string; excluded: boolean }[] }[] }>(
        'GET',
        '/api/Analytics/requests?path=/search&limit=1',
      )
      return body.items[0]?.hits.some((hit) => hit.rule === rule && hit.excluded)
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    const after = await installation.api<FirewallSettings>('GET', `/api/Sites/${site.id}/firewall`)
    assert.deepEqual(after.body.exclusions, [])
  })

  await t.test('the level is chosen, and its undo takes it back', async () => {
    const { page, installation } = it
    const levelNow = async () =>
      (await installation.api<FirewallSettings>('GET', `/api/Sites/${site.id}/firewall`)).body.level
    await it.visit(`/sites/${site.id}/firewall`)
    await page.getByText('Requests that are more likely an attack than not are hits.').waitFor()
    await page.getByText('Strict', { exact: true }).click()
    await page.getByText('The sensitivity is set to "Strict".').waitFor()
    await page.getByText('Any suspicion is a hit').waitFor()
    assert.equal(await levelNow(), 'strict')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    // It had none of its own before, which is the same.
    assert.ok([undefined, 'balanced'].includes(await levelNow()))
    assert.deepEqual(unexpected(it.browser.faults), [])
  })
})
