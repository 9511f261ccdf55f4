/**
 * Where gated hosts are another site than the gate's own host, as they are when the gate domain is on the Public Suffix List,
 * browsers that keep cookies from third parties do not let the gate see whether a sign-in was begun in them. It asks then.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { beginSignIn } from './support/attacker.ts'
import { type Browser, startBrowser, withoutChromium } from './support/chromium.ts'
import { acceptInvitation, type Gate, startGate } from './support/gate.ts'
import { whoIsAt } from './support/victim.ts'

test('a gate on another site than its gated hosts asks before it lets anybody in', {
  skip: withoutChromium,
}, async (t) => {
  let gate: Gate
  let browser: Browser
  before(async () => {
    gate = await startGate('sallyport.elsewhere.localhost')
    browser = await startBrowser({ switches: ['--test-third-party-cookie-phaseout'] })
  })
  after(async () => {
    await browser.close()
    await gate.close()
  })

  await t.test('whether the sign-in was begun in this browser or in another', async () => {
    const mira = await gate.invite('Mira')
    const page = await browser.open()
    await acceptInvitation(page, mira.invitation)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const begun = await beginSignIn(gate, gate.shop)
    for (const url of [begun.location, `${gate.shop.url}/unseen`]) {
      await page.goto(url)
      await page.getByRole('heading', { name: `Enter ${gate.shop.gatedName} as Mira?` }).waitFor()
      assert.ok(asked.some((one) => one.endsWith('/.sallyport/nonce')))
      assert.ok(!asked.some((one) => one.endsWith('/api/codes')), 'a code was asked for before the answer')
    }
    await page.getByRole('button', { name: 'Enter' }).click()
    await page.waitForURL(`${gate.shop.url}/unseen`)
    assert.equal(await whoIsAt(gate, page), mira.id)
  })
})
