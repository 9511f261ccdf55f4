/** A researcher's way through the gate in a browser: in once, then from site to site without a question, out, and back. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/installation.ts'
import { type Browser, startBrowser, withoutChromium } from './support/chromium.ts'
import { acceptInvitation, type Gate, type GatedSite, type Researcher, startGate } from './support/gate.ts'
import { whoIsAt } from './support/victim.ts'

test('a researcher’s journey', { skip: withoutChromium }, async (t) => {
  let gate: Gate
  let browser: Browser
  let page: Page
  let mira: Researcher
  let peggy: Researcher
  before(async () => {
    gate = await startGate()
    mira = await gate.invite('Mira')
    peggy = await gate.invite('Peggy')
    browser = await startBrowser()
    page = await browser.open()
  })
  after(async () => {
    await browser.close()
    await gate.close()
  })

  const forget = (site: GatedSite) => browser.context.clearCookies({ domain: site.gatedName })
  const openFromHome = async (site: GatedSite): Promise<void> => {
    await page.goto(`${gate.url}/`)
    await page.getByRole('link', { name: `Open ${site.gatedName}` }).click()
  }

  await t.test('by an invitation to the sites, and into both without a question', async () => {
    await acceptInvitation(page, mira.invitation)
    const questions: string[] = []
    page.on('framenavigated', (frame) => questions.push(frame.url()))
    for (const site of [gate.shop, gate.wiki]) {
      await openFromHome(site)
      await page.waitForURL(`${site.url}/`)
      assert.equal(await page.title(), 'Taken over')
      assert.equal(await whoIsAt(gate, page), mira.id)
    }
    assert.equal(questions.filter((url) => url.includes('/sign-in')).length, 2)
  })

  await t.test('the application sets its own cookies beside the gate’s, and sees none of those', async () => {
    gate.origin.serve('/login', {
      type: 'text/html',
      body: '',
      headers: { 'set-cookie': 'own=1; Path=/; HttpOnly' },
    })
    await page.goto(`${gate.shop.url}/login`)
    await page.goto(`${gate.shop.url}/logged-in`)
    const seen = gate.origin.seen.findLast(({ target }) => target === '/logged-in')
    assert.equal(seen?.headers.cookie, 'own=1')
  })

  await t.test('a session that has ended is renewed on the way, back to the same path', async () => {
    await forget(gate.shop)
    const target = '/deep/er?a=1&b=%2F..%2f&to=//evil.example'
    await page.goto(gate.shop.url + target)
    await page.waitForURL(gate.shop.url + target)
    assert.ok(gate.origin.seen.some((seen) => seen.target === target))
    const shown = await page.evaluate(() => [location.href, document.referrer, history.length > 0])
    assert.equal(shown.join().includes('code='), false)
  })

  await t.test('tabs that come back together all get where they were', async () => {
    await forget(gate.shop)
    const urls = Array.from({ length: 5 }, (_, index) => `${gate.shop.url}/tab-${index}`)
    await Promise.all(
      urls.map(async (url) => {
        const tab = await browser.context.newPage()
        await tab.goto(url)
        await tab.waitForURL(url)
        await tab.close()
      }),
    )
  })

  await t.test('where a site does not answer the gate, nobody is let in', async () => {
    await forget(gate.shop)
    await page.route('**/.sallyport/nonce', (route) => route.abort())
    await page.goto(`${gate.shop.url}/unanswered`)
    await page.getByRole('heading', { name: `${gate.shop.gatedName} does not answer the gate` }).waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.waitForURL(`${gate.shop.url}/unanswered`)
  })

  await t.test('an address that names no site of theirs leads nowhere', async () => {
    const nonce = 'A'.repeat(43)
    for (const host of [
      gate.bank.host,
      'evil.example',
      `${gate.shop.host}@evil.example`,
      '',
      'javascript:alert(1)',
    ]) {
      const asked = new URLSearchParams({ host, nonce, to: '/' })
      await page.goto(`${gate.url}/sign-in?${asked}`)
      await page.getByRole('heading', { name: 'This leads to no site of yours' }).waitFor()
    }
    assert.equal(
      browser.faults.join().includes('evil.example'),
      false,
      'it was asked, or the page was kept from asking it',
    )
  })

  await t.test('another researcher’s session at a site gives way only after a question', async () => {
    await page.goto(peggy.invitation)
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('button', { name: 'Replace that session' }).click()
    await page.getByText('peggy@example.com').waitFor()
    await openFromHome(gate.shop)
    await page.getByText(`Another researcher is signed in at ${gate.shop.gatedName}`).waitFor()
    await page.getByRole('link', { name: 'Do not enter' }).click()
    await page.waitForURL(`${gate.url}/`)
    await page.goto(`${gate.shop.url}/`)
    assert.equal(await whoIsAt(gate, page), mira.id)

    await openFromHome(gate.shop)
    await page.getByRole('button', { name: 'Replace that session' }).click()
    await page.waitForURL(`${gate.shop.url}/`)
    assert.equal(await whoIsAt(gate, page), peggy.id)
  })

  await t.test(
    'after signing out, a site whose session has ended asks who is there, and goes on from there',
    async () => {
      await page.goto(`${gate.url}/`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'For invited researchers' }).waitFor()
      await page.goto(`${gate.wiki.url}/`)
      assert.equal(await whoIsAt(gate, page), mira.id)
      await forget(gate.wiki)
      await page.goto(`${gate.wiki.url}/the/same?path`)
      await page.getByText('To enter the site, sign in here.').waitFor()
      await page.getByLabel('Key').fill(peggy.key)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(`${gate.wiki.url}/the/same?path`)
      assert.equal(await whoIsAt(gate, page), peggy.id)
    },
  )

  await t.test('ending the sessions of a researcher ends them at the gate and at its sites', async () => {
    const { status } = await gate.installation.api('POST', `/api/Hackers/${peggy.id}/endSessions`)
    assert.ok(status < 300, String(status))
    // The gateway hears of it by the feed, a moment later.
    await eventually(async () => {
      await page.goto(`${gate.wiki.url}/ended`)
      return page.url().startsWith(gate.url)
    })
    await page.getByText('To enter the site, sign in here.').waitFor()
  })
})
