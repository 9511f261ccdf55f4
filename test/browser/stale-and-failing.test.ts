/**
 * The console when things go wrong around it: an API that fails or is away, somebody else who changed the same thing
 * meanwhile, an address that says nonsense. It claims nothing that it does not know, and undoes nobody's work.
 */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Site } from '@sallyport/contract'
import type { Locator } from 'playwright-core'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'

const SHOP = 'shop.gate.localhost'
/** As in `session/session.ts`. */
const TOKENS_KEY = 'sallyport.tokens'
const AWAY = { status: 503, contentType: 'application/json', body: '{}' }
/** Faults that these tests mean to cause. */
const MEANT = /status of 503|status of 400|ERR_FAILED/

test('the console among faults and other people', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  let siteId = ''
  before(async () => {
    it = await openConsole()
    siteId = (await createSite(it.installation, SHOP, it.origin.url)).id
  })
  afterEach(() => it.page.unrouteAll())
  after(() => it.close())
  const readSite = async () => (await it.installation.api<Site>('GET', `/api/Sites/${siteId}`)).body
  /** Saves what is on the page, and types more into `field` before the answer is there. */
  const typeWhileSaving = async (field: Locator, words: string, said: string) => {
    const { page } = it
    const answer = Promise.withResolvers<void>()
    await page.route('**/api/**', async (route) => {
      if (route.request().method() !== 'GET') await answer.promise
      await route.fallback()
    })
    const asked = page.waitForRequest((request) => request.method() !== 'GET')
    await page.getByRole('button', { name: 'Save', exact: true }).first().click()
    await asked
    await field.fill(words)
    answer.resolve()
    await page.getByText(said).waitFor()
    await page.unrouteAll()
    assert.equal(await field.inputValue(), words)
  }

  await t.test('saving another setting keeps the window, to the second', async () => {
    const { page, installation } = it
    await installation.api('GET', `/api/Sites/disable/${siteId}`)
    await it.visit(`/sites/${siteId}/settings`)
    const closed = await page.getByLabel('Closes at').inputValue()
    assert.notEqual(closed, '')
    await page.getByRole('switch', { name: `Open ${SHOP} to researchers` }).click({ force: true })
    await page.getByText(`${SHOP} is open.`).waitFor()
    await page.getByRole('textbox', { name: 'Origin' }).fill(it.origin.url.replace('127.0.0.1', 'localhost'))
    const opened = await readSite()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.').waitFor()
    const { isActive, startDate, stopDate, originName } = await readSite()
    assert.match(originName, /localhost/)
    assert.deepEqual({ isActive, startDate, stopDate }, { ...pick(opened), isActive: true })
    assert.equal(await page.getByLabel('Closes at').inputValue(), '')
  })

  await t.test('a year has four digits, so that a slip of the finger is no open end', async () => {
    const { page } = it
    await it.visit('/researchers')
    await page.getByRole('button', { name: 'Invite' }).click()
    const until = page.getByRole('dialog').getByLabel('Access until')
    await until.focus()
    await page.keyboard.type('03122027')
    // A fifth digit of the year would come before the hour.
    await page.keyboard.type('1030PM')
    assert.equal(await until.inputValue(), '2027-03-12T22:30')
  })

  await t.test('strangers are a filter like any other', async () => {
    const { page, installation } = it
    const { body: invited } = await installation.api<{ readonly key: string }>('POST', '/api/Hackers', {
      email: 'known@example.com',
    })
    const { key } = invited
    // Until the gate knows the key, who shows it is a stranger, too.
    await eventually(async () => (await installation.gate(SHOP, '/early', { key })).status === 200)
    await installation.gate(SHOP, '/known', { key })
    await installation.gate(SHOP, '/stranger', { key: null })
    const stranger = page.getByRole('button', { name: 'Stranger', exact: true })
    await it.visitUntil('/traffic', stranger)
    await stranger.click()
    await page.getByRole('button', { name: 'Remove the filter: Researcher is Stranger' }).waitFor()
    await page.getByRole('gridcell', { name: '/known' }).first().waitFor({ state: 'detached' })
    await page.getByRole('gridcell', { name: '/stranger' }).first().waitFor()
    await page.reload()
    await page.getByRole('gridcell', { name: '/stranger' }).first().waitFor()
    assert.equal(await page.getByRole('gridcell', { name: '/known' }).count(), 0)
  })

  await t.test('the search field says what the address says', async () => {
    const { page } = it
    await it.visit('/traffic?search=known')
    const field = page.getByRole('searchbox', { name: 'Search target and user agent' })
    assert.equal(await field.inputValue(), 'known')
    await page.getByRole('button', { name: 'Remove the filter: Words: known' }).click()
    await eventually(async () => (await field.inputValue()) === '')
    await page.goBack()
    await eventually(async () => (await field.inputValue()) === 'known')
  })

  await t.test('a window that is no time can be replaced', async () => {
    const { page } = it
    await it.visit('/traffic?gte=soon')
    await page.getByRole('button', { name: '– to now' }).click()
    await page.getByRole('button', { name: 'Last hour' }).click()
    await page.waitForURL(/gte=now-1h/)
  })

  await t.test('what is typed while a form is saved is still to be saved', async () => {
    const { page, installation } = it
    await it.visit(`/sites/${siteId}/settings`)
    await page.getByRole('textbox', { name: 'Origin' }).fill(it.origin.url)
    await typeWhileSaving(page.getByRole('textbox', { name: 'Gated name' }), 'typed.localhost', 'Saved.')

    await installation.api('POST', '/api/Billing', { city: 'Before' })
    await it.visit('/organization/billing')
    await page.getByLabel('City').fill('After')
    await typeWhileSaving(page.getByLabel('City'), 'Later', 'Billing details saved.')
  })

  await t.test('a change that is refused after one has left for another page is said to be', async () => {
    const { page, installation } = it
    const { body: invited } = await installation.api<{ readonly id: string }>('POST', '/api/Hackers', {
      email: 'trusted@example.com',
    })
    const choices = [
      [`/researchers/${invited.id}`, () => page.getByRole('button', { name: 'Pause' }).click()],
      [`/sites/${siteId}/settings`, () => page.getByLabel('Rate-limit policy').selectOption({ index: 1 })],
      [`/sites/${siteId}/access`, () => page.getByText('Only this list', { exact: true }).click()],
      [`/sites/${siteId}/firewall`, () => page.getByText('Enforce', { exact: true }).click()],
    ] as const
    for (const [path, choose] of choices) {
      const left = Promise.withResolvers<void>()
      await it.visit(path)
      await page.route('**/api/**', async (route) => {
        if (route.request().method() === 'GET') return route.fallback()
        await left.promise
        await route.fulfill(AWAY)
      })
      const asked = page.waitForRequest((request) => request.method() !== 'GET')
      await choose()
      await asked
      await page.getByRole('link', { name: 'Projects' }).click()
      await page.getByRole('heading', { name: 'Projects' }).waitFor()
      left.resolve()
      await page.getByText(/^The control plane answered 503/).waitFor()
      await page.unrouteAll()
    }
  })

  await t.test('an undo that is refused is said to be, once', async () => {
    const { page, installation } = it
    const email = 'regretted@example.com'
    await installation.api('POST', '/api/Hackers', { email })
    await installation.api('POST', '/api/Members', { email, name: 'Regretted', role: 'viewer' })
    const suspend = async () => {
      await page.getByRole('button', { name: `Change ${email}` }).click()
      await page.getByRole('menuitem', { name: 'Suspend' }).click()
    }
    const saveCity = async () => {
      await page.getByLabel('City').fill('Regretted')
      await page.getByRole('button', { name: 'Save' }).click()
    }
    const choices = [
      [`/sites/${siteId}/settings`, () => page.getByLabel('Query values').selectOption('mask')],
      [`/sites/${siteId}/access`, () => page.getByLabel(email).click()],
      ['/organization/members', suspend],
      ['/organization/billing', saveCity],
    ] as const
    for (const [path, choose] of choices) {
      await it.visit(path)
      await choose()
      const undo = page.getByRole('button', { name: 'Undo' })
      await undo.waitFor()
      await page.route('**/api/**', (route) =>
        route.request().method() === 'GET' ? route.fallback() : route.fulfill(AWAY),
      )
      await undo.click()
      const refusals = page.getByText(/^The control plane answered 503/)
      await refusals.first().waitFor()
      assert.equal(await refusals.count(), 1, path)
      await page.unrouteAll()
    }
  })

  await t.test('words that are being saved are not said to be of somebody else', async () => {
    const { page } = it
    await it.visit(`/sites/${siteId}/words`)
    const words = page.getByRole('textbox', { name: 'Instructions' })
    await words.fill('One')
    // It would be said until the site has been read again, and then no more.
    const alerts = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let seen = 0
          new MutationObserver(() => {
            seen += document.querySelectorAll('main [role="alert"]').length
            if (document.body.textContent?.includes('Instructions saved.')) resolve(seen)
          }).observe(document.body, { childList: true, subtree: true })
        }),
    )
    await typeWhileSaving(words, 'One and two', 'Instructions saved.')
    assert.equal(await alerts, 0)
  })

  /** Types instructions, and ends the access token; of the tokens those of `kept` stay. */
  const typeAsTokenEnds = async (text: string, kept: readonly string[]) => {
    await it.visit(`/sites/${siteId}/words`)
    const words = it.page.getByRole('textbox', { name: 'Instructions' })
    await words.fill(text)
    const edit = ([name, names]: readonly [string, readonly string[]]) => {
      const tokens: Record<string, unknown> = JSON.parse(sessionStorage.getItem(name) ?? '{}')
      const left = Object.fromEntries(names.map((one) => [one, tokens[one]]))
      sessionStorage.setItem(name, JSON.stringify({ ...left, expiresAt: Date.now() }))
    }
    await it.page.evaluate(edit, [TOKENS_KEY, kept] as const)
    return words
  }

  await t.test('an issuer that is out of reach takes nothing off the page', async () => {
    const { page } = it
    const words = await typeAsTokenEnds('Half a sentence', ['accessToken', 'refreshToken', 'idToken'])
    await page.route(/\/token$/, (route) => route.abort())
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText(/The control plane does not answer/).waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('Instructions saved.').waitFor()
    assert.equal(await words.inputValue(), 'Half a sentence')
  })

  await t.test('an issuer that refuses takes nothing off a page that is worked on', async () => {
    const { page } = it
    const words = await typeAsTokenEnds('A whole sentence', ['accessToken'])
    await page.getByRole('button', { name: 'Save' }).first().click()
    const opening = it.browser.context.waitForEvent('page')
    await page.getByRole('dialog').getByRole('link', { name: 'Sign in' }).click()
    const other = await opening
    await page.getByText('Instructions saved.').waitFor()
    assert.equal(await words.inputValue(), 'A whole sentence')
    if (!other.isClosed()) {
      await other.getByText('You are signed in').waitFor()
      assert.equal(await other.evaluate((name) => sessionStorage.getItem(name), TOKENS_KEY), null)
      await other.close()
    }
    assert.notEqual(await page.evaluate((name) => sessionStorage.getItem(name), TOKENS_KEY), null)
  })

  await t.test('a page on which something is not saved is not left unasked', async () => {
    const { page } = it
    const ask = page.getByRole('dialog', { name: 'Leave without saving?' })
    const words = page.getByRole('textbox', { name: 'Instructions' })
    const open = async (tab: string) => {
      await it.visit(`/sites/${siteId}/settings`)
      await page.getByRole('link', { name: tab }).click()
    }
    await open('Instructions and credentials')
    await words.fill('Half of it')
    await page.goBack()
    await ask.getByText('The instructions are not saved yet.').waitFor()
    await page.keyboard.press('Escape')
    await ask.waitFor({ state: 'detached' })
    assert.equal(await words.inputValue(), 'Half of it')
    await page.waitForURL(/\/words$/)
    await page.goBack()
    await ask.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('textbox', { name: 'Origin' }).waitFor()
    assert.match(page.url(), /\/settings$/)

    await page.getByRole('textbox', { name: 'Origin' }).fill('elsewhere')
    await page.getByRole('link', { name: 'Block rules' }).click()
    await ask.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('button', { name: 'Add a rule' }).click()
    await page.getByRole('link', { name: 'Traffic', exact: true }).first().click()
    await ask.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('textbox', { name: 'Path' }).waitFor()
    await it.visit('/organization/billing')
    await page.getByLabel('City').fill('Nowhere')
    await page.getByRole('link', { name: 'Sites' }).click()
    await ask.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL(/\/sites$/)
  })

  await t.test(
    'the live tail shows what came while it was cut off or paused, and what was left out',
    async () => {
      const { page, installation } = it
      const cell = (name: string) => page.getByRole('gridcell', { name, exact: true })
      const isRecorded = (path: string) => async () => {
        const log = await installation.api<{ items: unknown[] }>(
          'GET',
          `/api/Analytics/requests?path=${path}`,
        )
        return log.body.items.length > 0
      }
      const breakOff = (body: string) =>
        page.route('**/api/Analytics/tail*', (route) =>
          route.fulfill({ contentType: 'text/event-stream', body }),
        )
      await breakOff('')
      const opened = page.waitForResponse('**/api/Analytics/tail*')
      await it.visit('/traffic?live=true')
      await opened
      await installation.gate(SHOP, '/in-the-gap', { key: null })
      await cell('/in-the-gap').waitFor()
      await page.unrouteAll()
      await page.getByText('Live', { exact: true }).and(page.getByRole('status')).waitFor()
      await installation.gate(SHOP, '/after-the-gap', { key: null })
      await cell('/after-the-gap').waitFor()
      assert.equal(await cell('/in-the-gap').count(), 1)

      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByText('Paused', { exact: true }).waitFor()
      await installation.gate(SHOP, '/in-the-pause', { key: null })
      await eventually(isRecorded('/in-the-pause'))
      assert.equal(await cell('/in-the-pause').count(), 0)
      await page.getByRole('button', { name: 'Go on' }).click()
      await cell('/in-the-pause').waitFor()

      await breakOff('event: missed\ndata: {"missed":3}\n\n')
      await it.visit('/traffic?live=true')
      await page.getByText(/left out because this window was too slow/).waitFor()
    },
  )

  await t.test('in the live tail a row that was chosen stays chosen when others come above it', async () => {
    const { page, installation } = it
    const cell = (name: string) => page.getByRole('gridcell', { name, exact: true })
    await it.visit('/traffic?live=true')
    await page.getByText('Live', { exact: true }).and(page.getByRole('status')).waitFor()
    for (const path of ['/row-1', '/row-2']) {
      await installation.gate(SHOP, path, { key: null })
      await cell(path).waitFor()
    }
    const grid = page.getByRole('grid')
    await grid.focus()
    await page.keyboard.press('ArrowDown')
    await installation.gate(SHOP, '/row-3', { key: null })
    await cell('/row-3').waitFor()
    const activeId = await grid.getAttribute('aria-activedescendant')
    await page.locator(`[id="${activeId}"]`).getByRole('gridcell', { name: '/row-1' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('/row-1', { exact: false }).first().waitFor()
  })

  await t.test('a tail on which nothing is heard any more is not called live', async () => {
    const { page } = it
    await page.clock.install()
    await page.route('**/api/Analytics/tail*', () => undefined)
    await it.visit('/traffic?live=true')
    await page.getByText('Connecting…').waitFor()
    await page.clock.fastForward(40_000)
    await page.getByText('Reconnecting…').waitFor()
    await page.clock.resume()
  })

  await t.test('a key whose answer was lost is made once, and shown when it is asked for again', async () => {
    const { page, installation } = it
    await it.visit('/organization/keys')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByLabel('Name').fill('pipeline')
    await page.route('**/api/ApiKeys', async (route) => {
      await route.fetch()
      await route.abort()
    })
    const create = page.getByRole('dialog').getByRole('button', { name: 'Create' })
    await create.click()
    await page.getByText('The control plane does not answer').waitFor()
    await page.unrouteAll()
    await create.click()
    await page
      .getByRole('dialog')
      .locator('code', { hasText: /^ak_live_\w+$/ })
      .waitFor()
    const { body } = await installation.api<{ items: { name: string }[] }>('GET', '/api/ApiKeys')
    assert.equal(body.items.filter(({ name }) => name === 'pipeline').length, 1)
  })

  await t.test(
    'a form that is open stays when its session ends, and the sign-in cannot be dismissed',
    async () => {
      const { page } = it
      await it.visit('/researchers')
      await page.getByRole('button', { name: 'Invite' }).click()
      await page.getByLabel('E-mail address').fill('half@example')
      await page.evaluate((name) => {
        const ended = { accessToken: 'x', expiresAt: Date.now() }
        sessionStorage.setItem(name, JSON.stringify(ended))
      }, TOKENS_KEY)
      const signIn = page.getByRole('link', { name: 'Sign in' })
      await signIn.waitFor()
      await page.keyboard.press('Escape')
      await signIn.click()
      await signIn.waitFor({ state: 'detached' })
      assert.equal(await page.getByLabel('E-mail address').inputValue(), 'half@example')
    },
  )

  await t.test('a list that comes by pages is shown to its end', async () => {
    const { page, installation } = it
    for (let count = 0; count < 501; count++)
      await installation.api('POST', '/api/Projects', { name: `Project ${count}` })
    await it.visit('/projects')
    await page.getByRole('link', { name: 'Project 500', exact: true }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Project 0', exact: true }).count(), 0)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('link', { name: 'Project 0', exact: true }).waitFor()
  })

  await t.test('a change of the list of a site keeps what somebody else changed', async () => {
    const { page, installation } = it
    const add = async (email: string) =>
      (await installation.api<{ readonly id: string }>('POST', '/api/Hackers', { email })).body.id
    const [mine, theirs] = [await add('mine@example.com'), await add('theirs@example.com')]
    const path = `/api/Sites/${siteId}/hackers`
    await installation.api('PUT', path, { ids: [theirs] })
    await it.visit(`/sites/${siteId}/access`)
    assert.equal(await page.getByLabel('theirs@example.com').isChecked(), true)
    await installation.api('PUT', path, { ids: [] })
    await page.getByLabel('mine@example.com').click()
    await page.getByText('The list is changed.').waitFor()
    const list = await installation.api<{ readonly ids: readonly string[] }>('GET', path)
    assert.deepEqual(list.body.ids, [mine])
  })

  await t.test('what could not be asked for is not said to be nothing', async () => {
    const { page, installation } = it
    const failed = page.getByRole('alert').filter({ hasText: 'The control plane answered 503' })
    await installation.api('POST', '/api/sites/setRateLimiting', { id: siteId, rateLimit: 'fixed' })
    await page.route('**/api/RateLimitPolicies*', (route) => route.fulfill(AWAY))
    await it.visit(`/sites/${siteId}/settings`)
    await failed.waitFor()
    assert.equal(await page.getByLabel('Rate-limit policy').inputValue(), 'fixed')
    assert.equal(await page.getByText('Requests are not limited.').count(), 0)

    await page.route('**/api/Hackers?*', (route) => route.fulfill(AWAY))
    await it.visit(`/sites/${siteId}/access`)
    await failed.waitFor()
    assert.equal(await page.getByText('Nobody is invited yet').count(), 0)

    await page.route('**/api/Analytics/**', (route) => route.fulfill(AWAY))
    await it.visit('/')
    await eventually(async () => (await failed.count()) === 4)
    await page.getByRole('link', { name: /^Requests\s*–/ }).waitFor()
    for (const claim of ['Quiet', 'Nobody in this window', 'No rule matched in this window'])
      assert.equal(await page.getByText(claim).count(), 0, claim)

    await it.visit('/firewall')
    await eventually(async () => (await failed.count()) === 4)
    for (const claim of ['0 hits over time', 'Nothing yet', 'Nothing in this window'])
      assert.equal(await page.getByText(claim).count(), 0, claim)
  })

  await t.test('nothing else went wrong', () => {
    assert.deepEqual(unexpected(it.browser.faults, MEANT), [])
  })
})

const pick = ({ startDate, stopDate }: Site) => ({ startDate, stopDate })
