/**
 * The console when things go wrong around it: an API that fails or is away, somebody else who changed the same thing
 * meanwhile, an address that says nonsense. It claims nothing that it does not know, and undoes nobody's work.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ElementHandle } from 'playwright-core'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { withoutChromium } from './support/chromium.ts'
import { unexpected } from './support/console.ts'
import { AWAY, MEANT, openFaultyConsole, SHOP, TOKENS_KEY } from './support/faulty-console.ts'

const HOUR_MS = 3_600_000

test('the console among faults and other people', { skip: withoutChromium }, async (t) => {
  const { it, siteId } = await openFaultyConsole(t)

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
    const field = page.getByRole('combobox', { name: 'Filter requests' })
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
    await page
      .getByRole('region', { name: 'Request', exact: true })
      .getByText('/row-1', { exact: false })
      .first()
      .waitFor()
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

  await t.test('a computer whose clock is hours wrong signs in all the same', async () => {
    for (const hours of [-3, 3]) {
      const other = await it.browser.open()
      await other.clock.setSystemTime(Date.now() + hours * HOUR_MS)
      await other.goto(it.consoleUrl)
      await other.getByRole('navigation', { name: 'Areas' }).waitFor()
      await other.close()
    }
  })

  await t.test('a computer whose clock is hours wrong says how long ago things happened', async () => {
    for (const hours of [-3, 3]) {
      const other = await it.browser.open()
      await other.clock.setSystemTime(Date.now() + hours * HOUR_MS)
      await other.goto(`${it.consoleUrl}gateways`)
      const gateway = other.getByRole('table', { name: 'Gateways' }).getByRole('row').nth(1)
      await gateway.getByText('just now').waitFor()
      await other.close()
    }
  })

  await t.test('a key whose answer comes after the viewer has left is still shown to them', async () => {
    const { page, installation } = it
    const { body } = await installation.api<{ readonly id: string }>('POST', '/api/Hackers', {
      email: 'late@example.com',
    })
    const answer = Promise.withResolvers<void>()
    await page.route('**/rotateKey', async (route) => {
      await answer.promise
      await route.continue()
    })
    await it.visit(`/researchers/${body.id}`)
    const asked = page.waitForRequest('**/rotateKey')
    await page.getByRole('button', { name: 'Replace all' }).click()
    await asked
    await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Gateways' }).click()
    await page.getByRole('heading', { level: 1, name: 'Gateways' }).waitFor()
    const answered = page.waitForResponse('**/rotateKey')
    answer.resolve()
    const { key } = (await (await answered).json()) as { readonly key: string }
    await page.getByRole('button', { name: 'Show again' }).click()
    await page.getByRole('dialog').getByText(key, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'I have stored all of it' }).click()
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
    await page.getByRole('dialog').getByText('The control plane is not responding').waitFor()
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
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
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

  await t.test(
    'a page whose code is gone says so, not that the control plane is, and is loaded anew',
    async () => {
      const { page } = it
      await it.visit('/sites')
      await page.route('**/assets/gateways-page*', (route) => route.abort())
      await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Gateways' }).click()
      await page.getByText('This page could not be loaded').waitFor()
      assert.equal(await page.getByText('The control plane is not responding').count(), 0)
      await page.unrouteAll()
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('heading', { level: 1, name: 'Gateways' }).waitFor()
    },
  )

  await t.test('who leaves the first page before it is filled is not brought back', async () => {
    const { page } = it
    const held = { situation: Promise.withResolvers<void>(), code: Promise.withResolvers<void>() }
    await page.route('**/api/Analytics/situation*', async (route) => {
      await held.situation.promise
      await route.continue()
    })
    await page.route('**/assets/projects-page*', async (route) => {
      await held.code.promise
      await route.continue()
    })
    await it.visit('/')
    await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Projects' }).click()
    await page.waitForURL(/\/projects$/)
    const filled = page.waitForResponse(/api\/Analytics\/situation/)
    held.situation.resolve()
    await (await filled).finished()
    // Long enough to draw what came, and not until the page is taken for slow and gives way to a sign of it.
    await page.waitForTimeout(200)
    held.code.resolve()
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
    assert.match(page.url(), /\/projects$/)
    await page.unrouteAll()
    await page.goBack()
    await page.waitForURL(/\?gte=now-/)
  })

  await t.test('what stands below a chart does not jump when the chart comes', async () => {
    const { page } = it
    const held = Promise.withResolvers<void>()
    await page.route('**/api/Analytics/timeline*', async (route) => {
      await held.promise
      await route.continue()
    })
    await it.visit('/traffic')
    const grid = page.getByRole('grid')
    await grid.waitFor()
    const before = await grid.boundingBox()
    held.resolve()
    await page.getByLabel('Compare with the previous period').waitFor()
    assert.equal((await grid.boundingBox())?.y, before?.y)
    await page.unrouteAll()
  })

  await t.test('an act that is done after the viewer has left brings them nowhere', async () => {
    const { page, installation } = it
    const project = await installation.api<{ id: string }>('POST', '/api/Projects', { name: 'To be removed' })
    const researcher = await installation.api<{ id: string }>('POST', '/api/Hackers', {
      email: 'leaves@example.com',
    })
    const site = await createSite(installation, 'leaves.gate.localhost', it.origin.url)
    const areas = page.getByRole('navigation', { name: 'Areas' })
    const dialog = page.getByRole('dialog')
    const remove = async () => {
      await page.getByRole('button', { name: /^Remove( this site)?$/ }).click()
      await dialog.getByRole('button', { name: /^Remove/ }).click()
    }
    const add = async () => {
      await page.getByRole('textbox', { name: 'Origin' }).fill(it.origin.url)
      await page.getByRole('textbox', { name: 'Gated name' }).fill('made.gate.localhost')
      await page.getByRole('button', { name: 'Add the site' }).click()
    }
    for (const [path, act, next, said] of [
      [`/projects/${project.body.id}/coverage`, remove, 'Gateways', 'The project is removed.'],
      [`/researchers/${researcher.body.id}`, remove, 'Gateways', 'leaves@example.com is removed.'],
      [`/sites/${site.id}/settings`, remove, 'Gateways', 'leaves.gate.localhost is removed.'],
      ['/setup', add, 'Sites', 'made.gate.localhost'],
    ] as const) {
      const answer = Promise.withResolvers<void>()
      await page.route('**/api/**', async (route) => {
        if (route.request().method() !== 'GET') await answer.promise
        await route.fallback()
      })
      await it.visit(path)
      const asked = page.waitForRequest((request) => request.method() !== 'GET')
      await act()
      await asked
      if (act === remove) await dialog.getByRole('button', { name: 'Cancel' }).click()
      await areas.getByRole('link', { name: next }).click()
      const heading = page.getByRole('heading', { level: 1, name: next })
      await heading.waitFor()
      answer.resolve()
      await page.getByText(said, { exact: true }).waitFor()
      assert.match(page.url(), new RegExp(`/${next.toLowerCase()}$`), path)
      await page.unrouteAll()
    }
  })

  await t.test('of two filters that are chosen at once both hold, and both go', async () => {
    const { page, installation } = it
    await installation.gate(SHOP, '/two-filters', { key: null })
    const named = (name: string) => page.getByRole('button', { name, exact: true })
    const bothAtOnce = async (names: readonly [string, string]) => {
      const buttons = await Promise.all(names.map((name) => named(name).elementHandle()))
      await page.evaluate(
        (all) => {
          for (const one of all) one?.click()
        },
        buttons as (ElementHandle<HTMLElement> | null)[],
      )
    }
    await it.visitUntil('/traffic', named('Stranger'))
    await bothAtOnce(['Stranger', 'GET'])
    const chips = ['Remove the filter: Researcher is Stranger', 'Remove the filter: Method is GET'] as const
    for (const chip of chips) await named(chip).waitFor()
    await bothAtOnce(chips)
    for (const chip of chips) await named(chip).waitFor({ state: 'detached' })
    await page.waitForURL(/\/traffic$/)
  })

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

  await t.test('what could not be asked for is not said to be nothing', async () => {
    const { page, installation } = it
    const failed = page.getByRole('alert').filter({ hasText: 'The control plane answered 503' })
    const unknown = page.getByText(/^Not available right now/)
    await installation.api('POST', '/api/sites/setRateLimiting', { id: siteId, rateLimit: 'fixed' })
    await page.route('**/api/RateLimitPolicies*', (route) => route.fulfill(AWAY))
    await it.visit(`/sites/${siteId}/settings`)
    await failed.first().waitFor()
    assert.equal(await page.getByLabel('Rate-limit policy').inputValue(), 'fixed')
    assert.equal(await page.getByText('Requests are not limited.').count(), 0)

    await page.route('**/api/Hackers?*', (route) => route.fulfill(AWAY))
    await it.visit(`/sites/${siteId}/access`)
    await failed.first().waitFor()
    assert.equal(await page.getByText('No researchers yet').count(), 0)

    await page.route('**/api/Analytics/**', (route) => route.fulfill(AWAY))
    await it.visit('/')
    await eventually(async () => (await unknown.count()) === 6)
    assert.equal(await failed.count(), 1)
    await page.getByRole('link', { name: /^Requests\s*–/ }).waitFor()
    for (const claim of [
      'No requests yet',
      'No requests in this window',
      'No rules matched in this window',
      'Nothing needs attention',
      'No site stands out',
    ])
      assert.equal(await page.getByText(claim).count(), 0, claim)

    await it.visit('/firewall')
    await eventually(async () => (await unknown.count()) === 4)
    assert.equal(await failed.count(), 1)
    for (const claim of ['0 hits over time', 'No rules yet', 'No data in this window'])
      assert.equal(await page.getByText(claim).count(), 0, claim)
  })

  await t.test('nothing else went wrong', () => {
    const meant = new RegExp(`${MEANT.source}|assets/gateways-page`)
    assert.deepEqual(unexpected(it.browser.faults, meant), [])
  })
})
