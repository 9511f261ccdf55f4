/** The researcher's side, on the gate's own host: from an invitation to a refused request and its reason. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { eventually, goThrough } from '../support/installation.ts'
import { violationsOf } from './support/accessibility.ts'
import { type Browser, startBrowser, withoutChromium } from './support/chromium.ts'
import { unexpected } from './support/console.ts'
import { acceptInvitation, enter, type Gate, signInByKey, startGate } from './support/gate.ts'
import { HOSTILE_VALUES } from './support/hostile-values.ts'

const REFUSAL = { status: 503, contentType: 'application/problem+json', body: '{"detail":"Not now."}' }
const CONTACT = 'security@shop.example'
const NARROW = { width: 390, height: 844 }
/** A page of 1280 pixels at four times its size (WCAG 2.2, 1.4.10). */
const SMALLEST = { width: 320, height: 700 }
/** More than the list has room for. */
const REQUESTS = 20
const WIDE = { width: 1440, height: 900 }
const withoutCurl = spawnSync('curl', ['--version']).status === 0 ? false : 'no curl on this machine'

test("the researcher's page", { skip: withoutChromium }, async (t) => {
  let gate: Gate
  let browser: Browser
  let page: Page
  before(async () => {
    gate = await startGate()
    const { installation, shop } = gate
    await installation.api('PATCH', '/api/Organization/details', { contact: CONTACT })
    const blockList = JSON.stringify([{ id: 'no-admin', pathPrefix: '/admin', note: 'Production' }])
    await installation.api('POST', '/api/Sites/setBlockList', { id: shop.id, blockList })
    await installation.api('PATCH', `/api/Sites/${shop.id}`, {
      instructions: `Leave checkout alone.\n${HOSTILE_VALUES.join('\n')}`,
    })
    await eventually(async () => (await installation.gate(shop.gatedName, '/admin')).status === 403)
    browser = await startBrowser()
    page = await browser.open()
  })
  after(async () => {
    await browser.close()
    await gate.close()
  })

  /** In light and dark, wide and on a telephone. */
  const assertAccessible = async (what: string): Promise<void> => {
    for (const viewport of [NARROW, WIDE]) {
      await page.setViewportSize(viewport)
      const scrolls = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
      assert.equal(scrolls, false, `${what} is wider than ${viewport.width}`)
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme })
        // What is no matter of colours was found in the dark.
        const found = await violationsOf(page, colorScheme === 'dark' ? 'all' : 'of colours')
        assert.deepEqual(found, [], `${what}, ${colorScheme}, ${viewport.width}`)
      }
    }
  }

  /** The requests of the page of a site: on the smallest screen, on paper, and in a palette of the viewer's own. */
  const assertReadableEverywhere = async (site: Page): Promise<void> => {
    const { key } = gate.installation.firstRun.researcher
    for (let count = 0; count < REQUESTS; count++)
      await gate.installation.gate(gate.shop.gatedName, `/more/${count}`, { key })
    await site.getByRole('row').nth(REQUESTS).waitFor()
    const list = site.getByRole('region', { name: 'Requests', exact: true })
    const marked = list.locator('tr[aria-current="true"]')
    const hidden = () =>
      list.evaluate((region) => ({
        across: region.scrollWidth - region.clientWidth,
        down: region.scrollHeight - region.clientHeight,
      }))
    const outline = () => marked.evaluate((row) => getComputedStyle(row).outlineStyle)
    await site.setViewportSize(SMALLEST)
    assert.equal((await hidden()).across, 0)
    const why = await marked.getByText('A block rule of this site').boundingBox()
    assert.ok((why?.width ?? 0) > SMALLEST.width / 2, `the reason is ${why?.width} wide`)
    await site.setViewportSize(WIDE)

    assert.equal(await outline(), 'none')
    await site.emulateMedia({ media: 'print' })
    assert.deepEqual([await hidden(), await outline()], [{ across: 0, down: 0 }, 'solid'])
    await site.emulateMedia({ media: null, forcedColors: 'active' })
    assert.equal(await outline(), 'solid')
    const ofButton = await site
      .getByRole('button', { name: 'Copy' })
      .evaluate((button) => getComputedStyle(button).backgroundColor)
    const ofLink = await site
      .getByRole('link')
      .first()
      .evaluate((link) => getComputedStyle(link).color)
    assert.notEqual(ofButton, ofLink, 'words have the colour that belongs to their background')
    await site.emulateMedia({ forcedColors: null })
  }

  await t.test('a stranger is asked for an invitation or a key, and learns nothing else', async () => {
    for (const path of ['/', `/sites/${gate.shop.id}`, '/sign-in']) {
      await page.goto(gate.url + path)
      await page.getByRole('heading', { name: 'For invited researchers' }).waitFor()
      assert.equal(/checkout|shop\.gate/.test(await page.content()), false)
    }
    await assertAccessible('the sign-in')
  })

  await t.test('what stood under a gated host leads here', async () => {
    await page.goto(`${gate.shop.url}/.sallyport/`)
    assert.equal(page.url(), `${gate.url}/`, 'strangers are not told the id of the site')
    await page.goto(`${gate.shop.url}/products?id=1`)
    const { origin, pathname, searchParams } = new URL(page.url())
    assert.deepEqual([origin, pathname], [gate.url, '/sign-in'])
    assert.deepEqual([searchParams.get('host'), searchParams.get('to')], [gate.shop.host, '/products?id=1'])
  })

  await t.test('a key that is not known is refused in words, and may be typed again', async () => {
    await page.goto(`${gate.url}/`)
    await page.getByLabel('Key').fill('rk_live_nobody')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('alert').getByText('Check that the whole key was pasted').waitFor()
    await page.getByRole('button', { name: 'Sign in', disabled: false }).waitFor()
  })

  await t.test('a key signs in once and is not kept', async () => {
    const { key } = gate.installation.firstRun.researcher
    await signInByKey(page, gate, key)
    assert.equal((await page.content()).includes(key), false)
    assert.equal(await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage })), '{}')
    const [cookie, ...others] = await browser.context.cookies(gate.url)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [cookie?.httpOnly, cookie?.secure, cookie?.domain],
      [true, true, new URL(gate.url).hostname],
    )
  })

  await t.test('all sites of the researcher are listed, with their state', async () => {
    await page.getByRole('link', { name: gate.wiki.gatedName, exact: true }).waitFor()
    assert.equal(await page.getByText(gate.bank.gatedName).count(), 0)
    await gate.installation.api('GET', `/api/Sites/disable/${gate.wiki.id}`)
    await eventually(async () => {
      await page.reload()
      const row = page.getByRole('listitem').filter({ hasText: gate.wiki.gatedName })
      await row.waitFor()
      return /Closed/.test((await row.textContent()) ?? '')
    })
    assert.equal(await page.getByRole('link', { name: `Open ${gate.wiki.gatedName}` }).count(), 0)
    await assertAccessible('the list of sites')
    await gate.installation.api('POST', `/api/Sites/enable/${gate.wiki.id}`)
  })

  await t.test('the page of a site says what may be tested and what may not', async () => {
    await page.getByRole('link', { name: gate.shop.gatedName, exact: true }).click()
    await page.getByRole('heading', { name: gate.shop.gatedName }).waitFor()
    await page.getByText('Leave checkout alone.').waitFor()
    await page.getByText('/admin', { exact: true }).waitFor()
    const asked = page.getByRole('link', { name: CONTACT })
    assert.equal(await asked.getAttribute('href'), `mailto:${CONTACT}`)
  })

  await t.test('a site that is not on the list is not told apart from one that is not there', async () => {
    const other = await page.context().newPage()
    for (const id of [gate.bank.id, 'nothing']) {
      await other.goto(`${gate.url}/sites/${id}`)
      await other.getByRole('heading', { name: 'No such site' }).waitFor()
    }
    await other.close()
  })

  await t.test('credentials are shown on a click, not before', async () => {
    assert.equal((await page.content()).includes('correct horse'), false)
    const panel = page.getByRole('region', { name: 'Credentials for testing' })
    const refused = panel.getByRole('alert')
    await page.route('**/credentials', (route) => route.fulfill(REFUSAL))
    await panel.getByRole('button', { name: 'Reveal' }).click()
    await refused.getByText('Not now.').waitFor()
    await page.unrouteAll()
    await panel.getByRole('button', { name: 'Reveal' }).click()
    await page.getByText('tester / correct horse').waitFor()
    assert.equal(await refused.count(), 0)
  })

  await t.test('tools get settings with a key that was pasted, and it is sent nowhere', async () => {
    assert.match((await page.locator('pre.settings').textContent()) ?? '', /rk_live_YOUR_KEY/)
    const sent: string[] = []
    page.on('request', (request) => sent.push(JSON.stringify([request.headers(), request.postData()])))
    await page.getByLabel('Key', { exact: true }).fill('rk_live_example')
    for (const tool of ['curl', 'Burp', 'ZAP', 'ffuf', 'nuclei']) {
      await page.getByLabel(tool, { exact: true }).check()
      assert.match((await page.locator('pre.settings').textContent()) ?? '', /rk_live_example/)
    }
    await page.waitForResponse('**/budget')
    assert.equal(sent.join().includes('rk_live_example'), false)
  })

  await t.test('a gate that refuses for a while takes nothing off the page', async () => {
    await page.route('**/api/me', (route) => route.fulfill(REFUSAL))
    const refused = page.waitForResponse('**/api/me')
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await (await refused).finished()
    // A page that was taken away asks no more.
    await page.waitForResponse('**/budget')
    assert.equal(await page.getByLabel('Key', { exact: true }).inputValue(), 'rk_live_example')
    await page.unrouteAll()
  })

  await t.test('the line for curl works as it stands', { skip: withoutCurl }, async () => {
    await page.getByLabel('Key', { exact: true }).fill(gate.installation.firstRun.researcher.key)
    await page.getByLabel('curl', { exact: true }).check()
    const line = (await page.locator('pre.settings').textContent()) ?? ''
    const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent --noproxy '*'`])
    assert.match(stdout, /Taken over/)
  })

  await t.test('what is left of the budget counts down', async () => {
    const policies = await gate.installation.api<{ items: { name: string; perResearcher: unknown }[] }>(
      'GET',
      '/api/RateLimitPolicies',
    )
    const policy = policies.body.items.find((one) => one.perResearcher !== null)
    assert.ok(policy, 'a plan includes a policy with shares')
    const limiting = { id: gate.shop.id, rateLimit: policy.name }
    await gate.installation.api('POST', '/api/sites/setRateLimiting', limiting)
    const budget = page.getByRole('region', { name: 'Your budget' })
    const words = budget.getByText(/^[\d,]+ of [\d,]+ left$/)
    await budget.getByText(/^\d+ of 1,000 requests under way/).waitFor()
    await words.first().waitFor()
    const numbers = async () =>
      ((await words.first().textContent()) ?? '').replaceAll(',', '').match(/\d+/g)?.map(Number) ?? []
    const [left = 0, whole] = await numbers()
    assert.equal(left, whole)
    const other = await page.context().newPage()
    await enter(other, `${gate.shop.url}/one`)
    await other.close()
    await eventually(async () => ((await numbers())[0] ?? left) < left)
  })

  await t.test('a budget that is not told says why, and is told again', async () => {
    const budget = page.getByRole('region', { name: 'Your budget' })
    await page.route('**/budget', (route) => route.fulfill(REFUSAL))
    await budget.getByRole('alert').getByText('Not now.').waitFor()
    assert.equal(await budget.getByText(/left$/).count(), 0)
    await page.unrouteAll()
    await budget.getByText(/left$/).first().waitFor()
    assert.equal(await budget.getByRole('alert').count(), 0)
  })

  await t.test('a refused request shows with its reason and its rule', async () => {
    const refused = await page.context().newPage()
    await refused.goto(`${gate.shop.url}/x/..%2fadmin`)
    for (const colorScheme of ['dark', 'light'] as const) {
      await refused.emulateMedia({ colorScheme })
      assert.deepEqual(await violationsOf(refused), [], colorScheme)
    }
    await refused.getByRole('link', { name: 'and this request' }).click()
    const marked = refused.locator('tr[aria-current="true"]')
    await marked.getByText('Rule no-admin').waitFor()
    assert.match((await marked.textContent()) ?? '', /: Production/, 'with the note of the rule')
    await assertReadableEverywhere(refused)
    await refused.close()
    const row = page.getByRole('row', { name: /admin/ })
    await row.getByText('Refused: block rule').first().waitFor()
    await row.getByText('A block rule of this site covers this path.').first().waitFor()
    await row.getByText('no-admin').first().waitFor()
  })

  await t.test('it is accessible, and hostile words stay words', async () => {
    await assertAccessible('the page of a site')
    assert.equal(await page.locator('[data-injected]').count(), 0)
  })

  await t.test('by keyboard: from the list to a site and out', async () => {
    await page.goto(`${gate.url}/`)
    await page.getByRole('link', { name: gate.shop.gatedName, exact: true }).waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
    const passed: string[] = []
    for (let steps = 0; steps < 8; steps++) {
      await page.keyboard.press('Tab')
      passed.push(await focused())
    }
    for (const name of ['Your sites', 'Sign out', gate.shop.gatedName, 'Open'])
      assert.ok(passed.includes(name), name)
  })

  await t.test('nobody is told apart from a gate that is away', async () => {
    await page.route('**/api/me', (route) => route.abort())
    await page.goto(`${gate.url}/`)
    await page.getByRole('alert').getByText('The gate does not answer.').waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Your sites' }).waitFor()
  })

  await t.test('a list that is empty says so', async () => {
    await page.route('**/api/sites', (route) => route.fulfill({ json: { items: [] } }))
    await page.reload()
    await page.getByRole('heading', { name: 'No site yet' }).waitFor()
    await page.unrouteAll()
  })

  await t.test('signing out in one tab shows in the others', async () => {
    const other = await page.context().newPage()
    await other.goto(`${gate.url}/`)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await other.getByRole('heading', { name: 'For invited researchers' }).waitFor()
    assert.equal((await browser.context.cookies(gate.url)).length, 0)
    await other.close()
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await page.getByRole('heading', { name: 'For invited researchers' }).waitFor()
  })

  await t.test('an invitation signs in after a question, and its token is nowhere to be seen', async () => {
    const { invitation } = await gate.invite('Mira')
    const token = invitation.split('#token=')[1] ?? ''
    assert.ok(token.length > 20)
    await page.goto(invitation)
    await page.getByRole('button', { name: 'Accept' }).waitFor()
    assert.equal(page.url(), `${gate.url}/invitation`)
    assert.equal((await page.content()).includes(token), false)
    assert.equal((await browser.context.cookies(gate.url)).length, 0)
    await assertAccessible('an invitation')
    await acceptInvitation(page, invitation)
    await page.goBack()
    assert.equal(page.url().includes(token), false)

    for (const [link, title] of [
      [invitation, 'This invitation is no longer valid'],
      [`${gate.url}/invitation#token=short`, 'This invitation link is not whole'],
    ] as const) {
      await page.goto(link)
      await page.getByRole('button', { name: 'Accept' }).click()
      await page.getByRole('heading', { name: title }).waitFor()
      assert.deepEqual(await violationsOf(page), [])
    }
  })

  await t.test('an invitation whose answer is lost is asked for again, and is not lost', async () => {
    await browser.context.clearCookies()
    const { invitation } = await gate.invite('Trent')
    const attempts: string[] = []
    await page.route('**/api/invitations', async (route) => {
      const body = route.request().postData() ?? ''
      attempts.push(JSON.parse(body).attempt)
      if (attempts.length > 2) return route.continue()
      // The gate takes it, and its answer does not arrive.
      const { host } = new URL(gate.url)
      const headers = { origin: gate.url, 'content-type': 'application/json' }
      const options = { method: 'POST', headers, body }
      const taken = await goThrough(gate.installation.gatewayUrl, host, '/api/invitations', options)
      assert.equal(taken.status, 200, taken.body)
      return route.abort()
    })
    await acceptInvitation(page, invitation)
    await page.unrouteAll()
    assert.equal(attempts.length, 3)
    assert.equal(new Set(attempts).size, 1)
    await page.getByText('trent@example.com').waitFor()
  })

  await t.test('an invitation while the control plane is away is not used up', async () => {
    await browser.context.clearCookies()
    const { invitation } = await gate.invite('Walter')
    await page.route('**/api/invitations', (route) => route.fulfill(REFUSAL))
    await page.goto(invitation)
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('The invitation is not lost').waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('walter@example.com').waitFor()
  })

  await t.test(
    'another researcher’s session is replaced only after a question that says whose it is',
    async () => {
      const peggy = await gate.invite('Peggy')
      const question = page.getByRole('alert').filter({ hasText: 'walter@example.com' })
      await page.goto(peggy.invitation)
      await page.getByRole('button', { name: 'Accept' }).click()
      await question.waitFor()
      await assertAccessible('the question')
      await page.getByRole('button', { name: 'Keep it' }).click()
      await page.getByText('walter@example.com').waitFor()

      // A tab that was open before somebody else signed in.
      const tab = await page.context().newPage()
      await tab.route('**/api/me', (route) => route.fulfill({ status: 401, body: '{}' }))
      await tab.goto(`${gate.url}/`)
      await tab.getByLabel('Key').fill(peggy.key)
      await tab.unrouteAll()
      await tab.getByRole('button', { name: 'Sign in' }).click()
      await tab.getByRole('alert').filter({ hasText: 'walter@example.com' }).waitFor()
      await tab.getByRole('button', { name: 'Keep it' }).click()
      await tab.getByText('walter@example.com').waitFor()
      await tab.close()

      await page.goto(peggy.invitation)
      await page.getByRole('button', { name: 'Accept' }).click()
      await page.getByRole('button', { name: 'Replace that session' }).click()
      await page.getByText('peggy@example.com').waitFor()
    },
  )

  await t.test('nothing else went wrong', () => {
    const expected = /status of (40[01349]|410|503)|net::ERR_FAILED/
    assert.deepEqual(unexpected(browser.faults, expected), [])
  })
})
