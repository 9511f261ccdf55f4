/** Work in the console that is not saved yet: neither a failure, nor somebody else, nor leaving the page takes it away unasked. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Site } from '@sallyport/contract'
import type { Locator, Request } from 'playwright-core'
import { withoutChromium } from './support/chromium.ts'
import { unexpected } from './support/console.ts'
import { AWAY, MEANT, openFaultyConsole, SHOP, TOKENS_KEY } from './support/faulty-console.ts'

test('unsaved work in the console', { skip: withoutChromium }, async (t) => {
  const { it, siteId } = await openFaultyConsole(t)

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
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const until = page.getByRole('dialog').getByLabel('Access until')
    await until.focus()
    await page.keyboard.type('20271-03-12 22:3')
    await page.getByRole('dialog').getByLabel('Name').focus()
    await page.getByText('Write it as').waitFor()
    assert.equal(await until.evaluate((field: HTMLInputElement) => field.checkValidity()), false)
    await page.getByRole('dialog').getByLabel('E-mail address').fill('no-such-day@example.com')
    await until.fill('2027-02-29 22:30')
    await page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Name').focus()
    await page.getByText('There is no such day').waitFor()
    const { body: invited } = await it.installation.api<{ readonly items: readonly unknown[] }>(
      'GET',
      '/api/Hackers?search=no-such-day',
    )
    assert.deepEqual(invited.items, [], 'nobody is invited without an end by a day that there is not')
    await until.fill('2027-03-12 22:30')
    await page.getByText('There is no such day').waitFor({ state: 'detached' })
    assert.ok(await until.evaluate((field: HTMLInputElement) => field.checkValidity()))

    await it.visit('/traffic')
    await page.getByRole('button', { name: 'Last 24 hours' }).click()
    await page.getByLabel('From', { exact: true }).fill('2027-03-12 22:30')
    await page.getByLabel('To', { exact: true }).fill('2027-03-12 24:00')
    await page.getByRole('button', { name: 'Show this window' }).click()
    assert.equal(new URL(page.url()).search.includes('2027'), false, 'no window without its end')
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
    const isChange = (request: Request) => request.method() !== 'GET' && !request.url().includes('/preview')
    const choices = [
      [
        `/researchers/${invited.id}`,
        () => page.getByRole('button', { name: 'Pause' }).click(),
        'Pause researcher',
      ],
      [
        `/sites/${siteId}/settings`,
        () => page.getByLabel('Rate-limit policy').selectOption({ index: 1 }),
        'Set the limit',
      ],
      [
        `/sites/${siteId}/access`,
        () => page.getByText('Only this list', { exact: true }).click(),
        'Only this list',
      ],
      [
        `/sites/${siteId}/firewall`,
        () => page.getByRole('radiogroup', { name: 'Firewall mode' }).getByText('Enforce').click(),
        'Enforce',
      ],
    ] as const
    for (const [path, choose, confirmed] of choices) {
      const left = Promise.withResolvers<void>()
      await it.visit(path)
      await page.route('**/api/**', async (route) => {
        if (!isChange(route.request())) return route.fallback()
        await left.promise
        await route.fulfill(AWAY)
      })
      const asked = page.waitForRequest(isChange)
      await choose()
      await page.getByRole('dialog').getByRole('button', { name: confirmed }).click()
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
    await page
      .getByText(/The control plane is not responding/)
      .first()
      .waitFor()
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

  await t.test('what was typed is saved as nobody but who typed it, and waits for them', async () => {
    const { page, installation } = it
    const { firstRun } = installation
    const { body: invited } = await installation.api<{ readonly invitation: string }>(
      'POST',
      '/api/Members',
      {
        email: 'mira@example.com',
        name: 'Mira',
        role: 'admin',
      },
    )
    const words = await typeAsTokenEnds('Words of the owner', ['accessToken', 'subject'])
    await page.getByRole('button', { name: 'Save' }).first().click()
    const dialog = page.getByRole('dialog')
    const link = dialog.getByRole('link', { name: 'Sign in' })
    await link.waitFor()
    await it.browser.context.clearCookies()
    const miras = await it.browser.open()
    await miras.goto(invited.invitation)
    for (const field of await miras.locator('input[type="password"]').all())
      await field.fill('a password of many words')
    await miras.keyboard.press('Enter')
    await miras.locator('input[type="password"][name="again"]').waitFor({ state: 'detached' })
    await miras.goto(it.consoleUrl)
    await miras.locator('input[name="email"]').fill('mira@example.com')
    await miras.locator('input[name="password"]').fill('a password of many words')
    await miras.keyboard.press('Enter')
    await miras.getByRole('navigation', { name: 'Areas' }).waitFor()
    await miras.close()

    await link.click()
    await dialog.getByText('Somebody else signed in').waitFor()
    assert.notEqual((await readSite()).instructions, 'Words of the owner')

    const opening = it.browser.context.waitForEvent('page')
    await link.click()
    const other = await opening
    await other.locator('input[name="email"]').fill(firstRun.email)
    await other.locator('input[name="password"]').fill(firstRun.password)
    await other.keyboard.press('Enter')
    await page.getByText('Instructions saved.').waitFor()
    assert.equal(await words.inputValue(), 'Words of the owner')
    assert.equal((await readSite()).instructions, 'Words of the owner')
    if (!other.isClosed()) await other.close()
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

  await t.test('what is entered in a dialog is lost by no slip of the hand', async () => {
    const { page } = it
    const dialog = page.getByRole('dialog', { name: 'Add a project' })
    const ask = page.getByRole('dialog', { name: 'Discard what you entered?' })
    const beside = () => page.mouse.click(5, 5)
    const open = () => page.getByRole('button', { name: 'Add a project' }).click()
    await it.visit('/projects')
    await open()
    await dialog.getByLabel('Name').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await open()
    await dialog.getByLabel('Name').fill('Half of it')
    for (const slip of [beside, () => page.keyboard.press('Escape')]) {
      await slip()
      await ask.waitFor()
      await page.keyboard.press('Escape')
      await ask.waitFor({ state: 'detached' })
      assert.equal(await dialog.getByLabel('Name').inputValue(), 'Half of it')
    }
    await dialog.getByRole('button', { name: 'Close' }).click()
    await ask.getByRole('button', { name: 'Discard' }).click()
    await dialog.waitFor({ state: 'detached' })
    await open()
    assert.equal(await dialog.getByLabel('Name').inputValue(), '')
    await dialog.getByLabel('Name').fill('All of it')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'All of it' }).waitFor()
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

  await t.test('nothing else went wrong', () => {
    assert.deepEqual(unexpected(it.browser.faults, MEANT), [])
  })
})

const pick = ({ startDate, stopDate }: Site) => ({ startDate, stopDate })
