/**
 * The console in Chromium against a whole installation: from the first run to the kill switch.
 *
 * One file, though it is over 400 lines: each step goes on with what the steps before it made.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Site } from '@sallyport/contract'
import { eventually } from '../support/installation.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'

const SHOP = 'shop.gate.localhost'
/** As in `session/session.ts`. */
const TOKENS_KEY = 'sallyport.tokens'
/** As in `api/researcher-queries.ts`: so many of the newest researchers are loaded with their names. */
const NAMES_LOADED = 500
/** Compressed, and a little more than it is. */
const FIRST_PAGE_KIB_MAX = 230

test('the console', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  before(async () => {
    it = await openConsole()
  })
  after(() => it.close())

  await t.test('first run: a site, a researcher, and their first request recorded', async () => {
    const { page, installation, origin } = it
    const start = performance.now()
    await page.waitForURL(/\/console\/setup$/)
    await page.getByLabel('Origin').fill(origin.url)
    await page.getByLabel('Gated name').fill(SHOP)
    await page.getByLabel('Who may enter').selectOption({ label: 'All active researchers' })
    await page.getByRole('button', { name: 'Add the site' }).click()
    await page.getByLabel('E-mail address').fill('mira@example.com')
    await page.getByLabel('Name').fill('First researcher')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const command = (await page.locator('code', { hasText: /^curl -H/ }).textContent()) ?? ''
    const key = /rk_live_\w+/.exec(command)?.[0] ?? ''
    assert.match(command, new RegExp(`http://${SHOP}:\\d+/$`))
    await page
      .locator('code', { hasText: /^http:\/\/sallyport\.gate\.localhost:\d+\/invitation#token=/ })
      .waitFor()
    const answer = await eventually(async () => {
      const got = await installation.gate(SHOP, '/welcome?from=setup', { key })
      return got.status === 200 && got
    })
    assert.equal(answer.body, '/welcome?from=setup')
    await page.getByText('GET /welcome?from=setup').waitFor()
    t.diagnostic(
      `a sign-in to the first recorded request in ${((performance.now() - start) / 1_000).toFixed(1)} s`,
    )
    // A reload loses neither the step nor what is shown once, until somebody says that it is stored.
    await page.reload()
    await page
      .getByText('GET /welcome?from=setup')
      .or(page.getByText('Waiting for the first request'))
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Show again' }).click()
    await page.getByRole('dialog').getByText(key, { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Show again' }).click()
    await page.getByRole('button', { name: 'I have stored all of it' }).click()
    await page.reload()
    await page.locator('[aria-current="step"]', { hasText: 'The first request' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Show again' }).count(), 0)
    assert.equal(await page.evaluate((text) => JSON.stringify(sessionStorage).includes(text), key), false)
  })

  await t.test('the overview counts it and leads to the request in full', async () => {
    const { page } = it
    await it.visit('/')
    await page.getByRole('link', { name: /^Requests\s*[1-9]/ }).click()
    await page.waitForURL(/\/traffic/)
    await page.getByRole('gridcell', { name: '/welcome?from=setup' }).first().click()
    const request = page.getByRole('region', { name: 'Request', exact: true })
    await request.getByRole('link', { name: 'First researcher' }).waitFor()
    assert.match(page.url(), /request=[0-9a-f-]{36}/)
  })

  await t.test('a block rule is tried in the editor, saved, in force, and explained', async () => {
    const { page, installation } = it
    await it.visit('/sites')
    await page.getByRole('link', { name: SHOP }).click()
    await page.getByRole('link', { name: 'Block rules' }).click()
    await page.getByRole('button', { name: 'Add a rule' }).click()
    await page.getByLabel('Path', { exact: true }).fill('/admin')
    await page.getByLabel('Target of the tested request').fill('/x/..%2f%61DMIN/users')
    await page.getByText('Refused with 403').waitFor()
    await page.getByLabel('Target of the tested request').fill('/administrator')
    await page.getByText('Passes the block rules').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Block rules saved.').waitFor()
    await eventually(async () => (await installation.gate(SHOP, '/admin/users')).status === 403)
    const refused = page.getByRole('gridcell', { name: '/admin/users' }).first()
    await it.visitUntil('/traffic?outcome=block', refused)
    await refused.click()
    await page.getByText('A block rule of this site covers this path.').waitFor()
  })

  await t.test('facets include and exclude, and the address keeps them', async () => {
    const { page } = it
    await it.visit('/traffic')
    await page.getByRole('button', { name: 'Exclude Outcome: Block rule' }).click()
    await page.getByRole('button', { name: 'Remove the filter: Outcome is not Block rule' }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('outcome'), '!block')
    await page.reload()
    await page.getByRole('gridcell', { name: '/welcome?from=setup' }).first().waitFor()
    assert.equal(await page.getByRole('gridcell', { name: '/admin/users' }).count(), 0)
  })

  await t.test('a drag over the timeline zooms in, and so do Shift and the arrow keys', async () => {
    const { page } = it
    await it.visit('/traffic?gte=now-1h')
    const chart = page.getByRole('group', { name: /^Requests over time/ })
    const box = await chart.boundingBox()
    assert.ok(box)
    const y = box.y + box.height / 2
    await page.mouse.move(box.x + box.width * 0.7, y)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.95, y, { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(/gte=20\d\d-.*lte=20\d\d-/)
    await page.getByRole('button', { name: 'Back to the last 24 hours' }).click()
    await page.waitForURL((url) => !url.searchParams.has('gte'))
    // What is chosen is let go when the buckets of the other window come.
    await eventually(async () => {
      await chart.focus()
      await page.keyboard.press('ArrowLeft')
      await chart.getByRole('status').waitFor()
      await page.keyboard.press('Shift+ArrowLeft')
      await page.keyboard.press('Enter')
      return await page.waitForURL(/gte=20\d\d-.*lte=20\d\d-/, { timeout: 1_000 }).then(
        () => true,
        () => false,
      )
    }, 15_000)
  })

  await t.test('two moments choose an exact window', async () => {
    const { page } = it
    await it.visit('/traffic')
    await page.getByRole('button', { name: 'Last 24 hours' }).first().click()
    await page.getByLabel('From', { exact: true }).fill('2024-02-15T04:05')
    await page.getByLabel('To', { exact: true }).fill('2024-02-17T05:06')
    await page.getByRole('button', { name: 'Show this window' }).click()
    await page.waitForURL(/gte=2024-02-1[456]T.*lte=2024-02-1[678]T/)
  })

  await t.test('arrow keys and Enter open a request, and the time zone is what was chosen', async () => {
    const { page } = it
    await it.visit('/traffic')
    await page.getByRole('gridcell').first().waitFor()
    await page.getByRole('grid').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const request = page.getByRole('region', { name: 'Request', exact: true })
    await request.getByText('(Europe/Berlin)').waitFor()
    await page.keyboard.press('Escape')
    await request.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Time zone: Europe/Berlin' }).click()
    await page.getByRole('searchbox', { name: 'Search time zones' }).fill('tokyo')
    await page.getByRole('button', { name: 'Asia/Tokyo' }).click()
    await page.getByRole('grid').focus()
    await page.keyboard.press('Enter')
    await request.getByText('(Asia/Tokyo)').waitFor()
    await page.keyboard.press('Escape')
  })

  await t.test('an export is saved as it arrives', async () => {
    const { page } = it
    await it.visit('/traffic')
    await page.getByRole('button', { name: 'Export' }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: /^NDJSON/ }).click()
    const file = await (await saved).path()
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    assert.ok(lines.some((line) => JSON.parse(line).target === '/welcome?from=setup'))
    await page.getByText(/^Exported /).waitFor()
  })

  await t.test('a session that is about to end is renewed without a word', async () => {
    const { page } = it
    await it.visit('/sites')
    const before = await page.evaluate((key) => sessionStorage.getItem(key), TOKENS_KEY)
    const address = page.url()
    let navigations = 0
    page.on('framenavigated', () => {
      navigations += 1
    })
    await page.evaluate((key) => {
      const tokens = JSON.parse(sessionStorage.getItem(key) ?? '{}')
      sessionStorage.setItem(key, JSON.stringify({ ...tokens, expiresAt: Date.now() + 1_000 }))
    }, TOKENS_KEY)
    await page.waitForFunction(
      ([key = '', old]) => {
        const kept = sessionStorage.getItem(key)
        return kept !== null && JSON.parse(kept).accessToken !== JSON.parse(old ?? '{}').accessToken
      },
      [TOKENS_KEY, before ?? ''],
    )
    assert.equal(page.url(), address)
    assert.equal(navigations, 0)
  })

  await t.test('the live tail shows a request by itself, and pauses', async () => {
    const { page, installation } = it
    await it.visit('/traffic?live=true')
    await page.getByText('Live', { exact: true }).and(page.getByRole('status')).waitFor()
    await installation.gate(SHOP, '/seen-live')
    await page.getByRole('gridcell', { name: '/seen-live' }).waitFor({ timeout: 10_000 })
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
  })

  await t.test('the kill switch closes every site at once, and its undo opens them', async () => {
    const { page, installation } = it
    await it.visit('/researchers')
    await page.getByRole('button', { name: 'Stop everything' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop everything' }).click()
    await page.getByRole('alert').getByText('Everything is stopped by').waitFor()
    await eventually(async () => (await installation.gate(SHOP, '/')).status === 503)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    await eventually(async () => (await installation.gate(SHOP, '/')).status === 200)
    await it.visit('/organization/audit')
    await page.getByText('stopped everything', { exact: true }).waitFor()
    await page.getByText(/^Intact: \d+ entries/).waitFor()
  })

  await t.test('a site closes and opens from its page', async () => {
    const { page, installation } = it
    await it.visit('/sites')
    await page.getByRole('link', { name: SHOP }).click()
    const open = page.getByRole('switch', { name: `Open ${SHOP} to researchers` })
    await open.click({ force: true })
    await page.getByRole('dialog').getByRole('button', { name: 'Close site' }).click()
    await page.getByText(`${SHOP} is closing.`).waitFor()
    await eventually(async () => (await installation.gate(SHOP, '/')).status !== 200)
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(async () => (await installation.gate(SHOP, '/')).status === 200)
  })

  await t.test('a researcher is paused by choice and resumed by undo', async () => {
    const { page, installation } = it
    await it.visit('/researchers')
    await page.getByLabel(`Choose ${installation.firstRun.researcher.email}`).check()
    await page.getByRole('button', { name: 'Pause 1 selected' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause 1 selected' }).click()
    await page.getByText('Paused: 1 selected.').waitFor()
    await eventually(async () => (await installation.gate(SHOP, '/')).status === 403)
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(async () => (await installation.gate(SHOP, '/')).status === 200)
  })

  await t.test('the undo of a pause resumes nobody whom somebody else had paused before', async () => {
    const { page, installation } = it
    const { body: other } = await installation.api<{ readonly id: string; readonly email: string }>(
      'POST',
      '/api/Hackers',
      { email: 'paused-elsewhere@example.com' },
    )
    await it.visit('/researchers')
    for (const { email } of [installation.firstRun.researcher, other])
      await page.getByLabel(`Choose ${email}`).check()
    // The list on the page says still that they may come in.
    await installation.api('POST', '/api/Hackers/bulk', { action: 'pause', ids: [other.id] })
    await page.getByRole('button', { name: 'Pause 2 selected' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause 2 selected' }).click()
    await page.getByText('Paused: 2 selected.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(async () => (await installation.gate(SHOP, '/')).status === 200)
    const { body: now } = await installation.api<{ readonly paused: boolean }>(
      'GET',
      `/api/Hackers/${other.id}`,
    )
    assert.equal(now.paused, true)
    await installation.api('DELETE', `/api/Hackers/${other.id}`)
  })

  await t.test('an API key is created, shown once, used, and revoked', async () => {
    const { page, installation } = it
    await it.visit('/organization/keys')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByLabel('Name').fill('nightly pipeline')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const key = (await page.locator('code', { hasText: /^ak_live_\w+$/ }).textContent()) ?? ''
    await page.getByRole('button', { name: 'Done' }).click()
    assert.equal((await installation.api('GET', '/api/sites', undefined, key)).status, 200)
    await page.reload()
    await page.getByText('nightly pipeline').waitFor()
    assert.equal((await page.content()).includes(key), false)
    await page.getByRole('button', { name: 'Rotate nightly pipeline' }).waitFor()
    await page.getByRole('button', { name: 'Revoke nightly pipeline' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('"nightly pipeline" is revoked.').waitFor()
    await eventually(async () => (await installation.api('GET', '/api/sites', undefined, key)).status === 401)
  })

  await t.test('a project gets an item, and billing details are saved', async () => {
    const { page } = it
    await it.visit('/projects')
    await page.getByRole('button', { name: 'Add a project' }).click()
    await page.getByLabel('Name').fill('Shop, winter test')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Shop, winter test' }).click()
    await page.getByText('No items are tied to sites yet').waitFor()
    await page.getByRole('link', { name: 'Items', exact: true }).click()
    await page.getByLabel('Name of the item').fill('Checkout API')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('cell', { name: 'Checkout API', exact: true }).waitFor()
    await it.visit('/organization/billing')
    await page.getByLabel('Business name').fill('Example Shop Ltd')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Billing details saved.').waitFor()
  })

  await t.test('the keyboard alone finds a site and goes to an area', async () => {
    const { page } = it
    await it.visit('/')
    await page.keyboard.press('/')
    await page.keyboard.type(SHOP)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: SHOP, level: 1 }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    await page.getByRole('heading', { name: 'Firewall', level: 1 }).waitFor()
  })

  await t.test(
    'what is typed at once after / is searched, also while the sites are still to be loaded',
    async () => {
      const { page } = it
      const sites = Promise.withResolvers<void>()
      await page.route('**/api/sites', async (route) => {
        await sites.promise
        await route.continue()
      })
      await it.visit('/organization/keys')
      await page.keyboard.press('/')
      await page.keyboard.type(SHOP)
      await page.keyboard.press('Enter')
      await page.getByText('Searching…').waitFor()
      assert.equal(await page.getByRole('combobox', { name: 'Search and commands' }).inputValue(), SHOP)
      sites.resolve()
      await page.getByRole('heading', { name: SHOP, level: 1 }).waitFor()
      await page.unroute('**/api/sites')
    },
  )

  await t.test('a researcher is named in the traffic who is none of the newest', async () => {
    const { page, installation } = it
    const invite = (index: number) =>
      installation.api('POST', '/api/Hackers', {
        email: `later-${index}@example.com`,
        name: `Later ${index}`,
      })
    for (let first = 0; first < NAMES_LOADED; first += 20)
      await Promise.all(Array.from({ length: 20 }, (_, index) => invite(first + index)))
    await it.visit('/traffic?outcome=origin')
    await page.getByRole('gridcell', { name: 'First researcher' }).first().waitFor()
  })

  await t.test('arrow keys walk through a long list, and a scroll does not take the focus away', async () => {
    const { page } = it
    const isList = (url: URL) => /\/api\/sites$/i.test(url.pathname)
    await page.route(isList, async (route) => {
      const [site] = (await (await route.fetch()).json()) as [Site]
      const sites = Array.from({ length: 300 }, (_, index) => ({
        ...site,
        ...{ id: `${index}`.padStart(8, '0') + site.id.slice(8), gatedName: `site-${index}.localhost` },
      }))
      await route.fulfill({ json: sites })
    })
    await it.visit('/sites')
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
    await page.getByRole('link', { name: 'site-0.localhost', exact: true }).focus()
    // A press may come before the rows that it moves to.
    for (let pressed = 0; pressed < 1_000 && (await focused()) !== 'site-120.localhost'; pressed += 1)
      await page.keyboard.press('ArrowDown')
    const before = 'site-120.localhost'
    assert.equal(await focused(), before)
    await page.locator('main').evaluate((element) => {
      for (let at: Element | null = element; at; at = at.parentElement) at.scrollTop = at.scrollHeight
    })
    await page.getByRole('link', { name: 'site-299.localhost' }).waitFor()
    assert.equal(await focused(), before)
    await page.unroute(isList)
  })

  await t.test('a new tab asks the issuer without waiting for the code of the console', async () => {
    const page = await it.browser.context.newPage()
    // The entry, and what it shares with the rest, is all that may be needed for it.
    await page.route(/\/console\/assets\/(?!index-|loader-)[^/]+\.js$/, (route) => route.abort())
    const issuer = page.waitForRequest(/\/identity\/auth/)
    await page.goto(it.consoleUrl)
    await issuer
    await page.close()
  })

  await t.test('a new tab of who is signed in at the issuer opens without leaving for it', async () => {
    const page = await it.browser.context.newPage()
    const loaded: string[] = []
    page.on('request', (request) => {
      if (request.isNavigationRequest()) loaded.push(new URL(request.url()).pathname)
    })
    await page.goto(`${it.consoleUrl}sites?filter=one`)
    await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor()
    assert.deepEqual(loaded, ['/console/sites'])
    await page.close()
  })

  await t.test('the first page names little code that only other pages use', async () => {
    const page = await (await fetch(it.consoleUrl)).text()
    const names = new Set([...page.matchAll(/\/console\/assets\/[^"]+\.js/g)].map(([name]) => name))
    const lengths = await Promise.all(
      [...names].map(async (name) => {
        const { headers } = await fetch(new URL(name, it.consoleUrl), {
          headers: { 'accept-encoding': 'br' },
        })
        return Number(headers.get('content-length'))
      }),
    )
    const kibibytes = lengths.reduce((sum, length) => sum + length, 0) / 1_024
    assert.ok(kibibytes > 150 && kibibytes < FIRST_PAGE_KIB_MAX, `${kibibytes.toFixed(0)} KiB of scripts`)
  })

  await t.test('the back button brings no page back to who has signed out since', async () => {
    const { page } = it
    await it.visit('/sites')
    const reloaded = page.waitForRequest((request) => request.isNavigationRequest(), { timeout: 5_000 })
    // As the browser does where it kept the page: the browsers that tests drive keep none.
    await page.evaluate(() => {
      sessionStorage.removeItem('sallyport.tokens')
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
    })
    await reloaded
    await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor()
  })

  await t.test('signing out ends the session, and nothing broke the security policy on the way', async () => {
    const { page, browser } = it
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL(/identity|console\/$/)
    assert.deepEqual(unexpected(browser.faults), [])
  })
})
