/**
 * The traffic page as somebody investigates with it: filters as text, and requests one after the other, by keyboard and by mouse.
 *
 * One file, though it is over 400 lines: each step goes on with the page and the traffic as the steps before it left them.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import type { AttentionItem, Site, Situation } from '@sallyport/contract'
import type { Locator, Request } from 'playwright-core'
import { eventually, untilRecorded } from '../support/installation.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { createSite } from '../support/site.ts'
import { violationsOf } from './support/accessibility.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'
import { ACTS_MAX, ADMIN_TASKS, actsOf } from './support/tasks/admin-tasks.ts'

const SHOP = 'shop.gate.localhost'
const BROKEN = 'broken.gate.localhost'
const NAME = 'Scripts \u202e& <b>more</b>'
const ATTACK = `/files/c?name=${encodeURIComponent("1' or 1=1 union select password from users --")}`
const TARGETS = ['/files/a', '/files/b', '/missing', `/long/${'x'.repeat(8_000)}`, ATTACK]

const isErrorAfterHit = ({ kind }: AttentionItem): boolean => kind === 'origin_error_after_hit'

test('investigating the traffic', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  before(async () => {
    it = await openConsole()
    const { installation } = it
    await createSite(installation, SHOP, it.origin.url)
    const { researcher } = installation.firstRun
    await installation.api('PATCH', `/api/Hackers/${researcher.id}`, { name: NAME })
    for (const target of TARGETS) await installation.gate(SHOP, target)
    await installation.gate(SHOP, '/files/stranger', { key: null })
    await untilRecorded(installation, TARGETS.length + 1)
  })
  after(() => it.close())

  /** Once nothing is loading: what is about to be replaced is drawn paler. */
  const violations = async () => {
    await it.page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
    return await violationsOf(it.page)
  }
  const bar = () => it.page.getByRole('combobox', { name: 'Filter requests' })
  const cell = (name: string) => it.page.getByRole('gridcell', { name }).first()

  await t.test('filters are typed with the keyboard alone, and completed from what there is', async () => {
    const { page } = it
    await it.visit('/traffic')
    await cell('/files/a').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('resea')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    assert.equal(await bar().inputValue(), 'researcher:')
    await page.keyboard.type('scr')
    await page.getByRole('option', { name: /Scripts/ }).waitFor()
    assert.deepEqual(await violations(), [])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await page.keyboard.type('path:/files')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove the filter: Path is /files' }).waitFor()
    const { searchParams } = new URL(page.url())
    assert.equal(searchParams.get('hacker'), it.installation.firstRun.researcher.id)
    assert.equal(searchParams.get('path'), '/files')
    // A hostile name is quoted, and what turns the direction of text is written as what it is.
    assert.equal(await bar().inputValue(), 'researcher:"Scripts \\u{202e}& <b>more</b>" path:/files')
    await cell('/missing').waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    assert.equal(new URL(page.url()).searchParams.get('hacker'), searchParams.get('hacker'))
  })

  await t.test('chips, address and line stay in step', async () => {
    const { page } = it
    await page.getByRole('button', { name: 'Remove the filter: Path is /files' }).click()
    await eventually(async () => !(await bar().inputValue()).includes('path:'))
    await page.goBack()
    await eventually(async () => (await bar().inputValue()).endsWith('path:/files'))
    await bar().fill('-path:/files researcher:""')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove the filter: Researcher is Stranger' }).waitFor()
    await page.getByRole('button', { name: 'Remove the filter: Path is not /files' }).waitFor()
  })

  await t.test('what cannot be read is said with its token, and nothing is asked', async () => {
    const { page } = it
    const address = page.url()
    await bar().fill('status:teapot researcher:Nobody')
    await page.keyboard.press('Enter')
    const alert = page.locator('form').getByRole('alert')
    await alert.getByText('"status" is a number such as 404, or a class such as 5xx.').waitFor()
    await alert.getByText('No researcher has this name alone.').waitFor()
    assert.equal(page.url(), address)
    const selected = await bar().evaluate((field: HTMLInputElement) =>
      field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0),
    )
    assert.equal(selected, 'status:teapot')
    assert.deepEqual(await violations(), [])
    await page.keyboard.press('Escape')
    await eventually(async () => (await bar().inputValue()).startsWith('researcher:""'))
    assert.deepEqual(unexpected(it.browser.faults), [])
  })

  const inspector = () => it.page.getByRole('region', { name: 'Request', exact: true })
  const opened = () => new URL(it.page.url()).searchParams.get('request')

  await t.test(
    'a request opens beside the table, which keeps its place, and the next one follows',
    async () => {
      const { page } = it
      await it.visit('/traffic')
      await cell('/files/a').click()
      await inspector().getByText('Request id').waitFor()
      const table = await page.getByRole('grid').boundingBox()
      const beside = await inspector().boundingBox()
      assert.ok(table && beside)
      assert.ok(beside.x >= table.x + 500, 'it covers the table')
      assert.deepEqual(await violations(), [])
      const first = opened()
      await page.keyboard.press('k')
      await page.waitForURL((url) => url.searchParams.get('request') !== first)
      await page.keyboard.press('j')
      await page.waitForURL((url) => url.searchParams.get('request') === first)
      await inspector().getByRole('button', { name: 'Previous request' }).click()
      await page.waitForURL((url) => url.searchParams.get('request') !== first)
      await page.getByRole('row', { selected: true }).waitFor()
      await page.keyboard.press('Escape')
      await inspector().waitFor({ state: 'detached' })
      assert.equal(opened(), null)
    },
  )

  await t.test('letters are keys only where nobody types, and ? tells of them', async () => {
    const { page } = it
    await page.getByRole('grid').focus()
    await page.keyboard.press('f')
    await page.keyboard.type('jkxp?')
    assert.equal(await bar().inputValue(), 'jkxp?')
    assert.equal(opened(), null)
    await page.keyboard.press('Escape')
    await page.getByRole('grid').focus()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.getByText('the next request, the one before').waitFor()
    assert.deepEqual(await violations(), [])
    await page.keyboard.press('j')
    assert.equal(opened(), null)
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    await page.getByRole('grid').focus()
    await page.keyboard.press('p')
    await page.waitForURL(/gte=20\d\d.*lte=20\d\d/)
    await page.keyboard.press('p')
    await page.waitForURL((url) => !url.searchParams.has('lte'))
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    await page.getByRole('heading', { name: 'Firewall', level: 1 }).waitFor()
  })

  await t.test('the width is moved by the arrow keys, and kept', async () => {
    const { page } = it
    await it.visit('/traffic')
    await cell('/files/a').click()
    const handle = page.getByRole('separator', { name: 'Width of the request' })
    const before = Number(await handle.getAttribute('aria-valuenow'))
    await handle.focus()
    await page.keyboard.press('ArrowLeft')
    await page.reload()
    await handle.waitFor()
    assert.equal(Number(await handle.getAttribute('aria-valuenow')), before + 24)
  })

  await t.test('rules that matched one value are one finding, and excluded as one by x', async () => {
    const { page, installation } = it
    await it.visit('/traffic')
    await cell('/files/c').click()
    const finding = inspector().getByText(/^\d+ rules$/)
    await finding.waitFor()
    const count = Number.parseInt((await finding.textContent()) ?? '', 10)
    assert.ok(count > 1)
    await page.keyboard.press('x')
    const form = page.getByRole('dialog', { name: 'Make an exclusion' })
    assert.equal(await form.getByLabel('Path').inputValue(), '/files/c')
    assert.equal(await form.getByLabel('Parameter').inputValue(), 'name')
    await form.getByText(new RegExp(`it would remove ${count} of \\d+ hits`)).waitFor()
    assert.deepEqual(await violations(), [])
    await form.getByRole('button', { name: `Save ${count} exclusions` }).click()
    await page.getByText('The exclusions are in force.').waitFor()
    const { body: sites } = await installation.api<{ id: string }[]>('GET', '/api/Sites')
    const path = `/api/Sites/${sites[0]?.id}/firewall`
    const settings = async () =>
      (await installation.api<{ exclusions: { rule: string; parameter: string }[] }>('GET', path)).body
    const { exclusions } = await settings()
    assert.equal(exclusions.length, count)
    assert.equal(new Set(exclusions.map(({ rule }) => rule)).size, count)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    assert.deepEqual((await settings()).exclusions, [])
  })

  await t.test('a request is copied as a command, and its minute is shown', async () => {
    const { page } = it
    await inspector().getByRole('button', { name: 'Copy as' }).click()
    await page.getByRole('menuitem', { name: 'curl command' }).click()
    await page.getByText(/^Copied/).waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    assert.ok(command.startsWith('curl --globoff --path-as-is'), command)
    assert.ok(
      command.includes(`http://${SHOP}:`) && command.includes('Sallyport-Key: $SALLYPORT_KEY'),
      command,
    )
    assert.ok(!command.includes(it.installation.firstRun.researcher.key))
    await inspector().getByRole('button', { name: '/long/' }).waitFor()
    await inspector().getByRole('button', { name: '/missing' }).click()
    await inspector()
      .locator('pre', { hasText: /^\/missing$/ })
      .waitFor()
    await inspector().getByRole('button', { name: 'Show in the table' }).click()
    await page.waitForURL(/hacker=.*gte=|gte=.*hacker=/)
    assert.deepEqual(unexpected(it.browser.faults), [])
  })

  await t.test(
    'a view is saved on the server, shared, opened and removed; those of the browser move there',
    async () => {
      const { page, installation } = it
      await it.visit('/traffic?status=4xx')
      await page.evaluate(() =>
        localStorage.setItem(
          'sallyport.views',
          JSON.stringify([{ name: 'Old <b>one</b>', query: '?path=/files' }, { name: 7 }, 'x']),
        ),
      )
      await page.reload()
      await page.getByRole('button', { name: 'Views' }).click()
      const views = page.getByRole('dialog', { name: 'Views' })
      await views.getByRole('button', { name: 'Move to the server' }).click()
      await views.getByRole('link', { name: 'Old <b>one</b>' }).waitFor()
      assert.equal(await page.evaluate(() => localStorage.getItem('sallyport.views')), null)
      await views.getByLabel('View name').fill('Refused')
      await views.getByLabel('Share with the organization').check()
      await views.getByRole('button', { name: 'Save' }).click()
      await views.getByRole('link', { name: 'Refused' }).waitFor()
      assert.deepEqual(await violations(), [])
      // The key of the first run is somebody else: it sees what is shared.
      const { body } = await installation.api<{ items: { name: string; query: string }[] }>(
        'GET',
        '/api/SavedViews',
      )
      assert.deepEqual(
        body.items.map(({ name, query }) => [name, query]),
        [['Refused', '?status=4xx']],
      )
      await views.getByRole('button', { name: 'Shared: Refused' }).click()
      await views.getByRole('button', { name: 'Private: Refused' }).waitFor()
      const afterwards = await installation.api<{ items: unknown[] }>('GET', '/api/SavedViews')
      assert.deepEqual(afterwards.body.items, [])
      await views.getByRole('link', { name: 'Old <b>one</b>' }).click()
      await page.waitForURL((url) => url.searchParams.get('path') === '/files')
    },
  )

  await t.test('live keeps chart and values, and a drag over the chart ends it', async () => {
    const { page } = it
    await it.visit('/traffic?live=true')
    await page.getByText('Live', { exact: true }).and(page.getByRole('status')).waitFor()
    await page.getByRole('group', { name: /^Requests over time/ }).waitFor()
    await page.getByRole('button', { name: 'GET', exact: true }).click()
    await page.getByRole('button', { name: 'Remove the filter: Method is GET' }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('live'), 'true')
    await it.installation.gate(SHOP, '/seen-live')
    await cell('/seen-live').waitFor()
    assert.deepEqual(await violations(), [])
    assert.deepEqual(unexpected(it.browser.faults), [])
  })

  await t.test('columns are chosen, moved and made wider, and stay so', async () => {
    const { page } = it
    await it.visit('/traffic')
    const heads = () => page.getByRole('columnheader').allTextContents()
    assert.equal((await heads())[0], 'Time')
    await page.getByRole('button', { name: 'Columns' }).click()
    const menu = page.getByRole('dialog', { name: 'Columns' })
    await menu.getByRole('checkbox', { name: 'Route' }).check()
    await menu.getByRole('checkbox', { name: 'Hits' }).uncheck()
    await menu.getByRole('button', { name: 'Move down: Time' }).click()
    await menu.getByRole('button', { name: 'Wider: Route' }).click()
    assert.deepEqual(await violations(), [])
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('columnheader', { name: 'Route' }).waitFor()
    const now = await heads()
    assert.deepEqual([now[0], now[1], now.includes('Hits')], ['Researcher', 'Time', false])
    const before = await page.getByRole('columnheader', { name: 'Method' }).boundingBox()
    assert.ok(before)
    const edge = { x: before.x + before.width + 3, y: before.y + before.height / 2 }
    await page.mouse.move(edge.x, edge.y)
    await page.mouse.down()
    await page.mouse.move(edge.x + 60, edge.y, { steps: 4 })
    await page.mouse.up()
    const after = await page.getByRole('columnheader', { name: 'Method' }).boundingBox()
    assert.ok(after && after.width > before.width + 40, JSON.stringify([before, after]))
    await page.getByRole('button', { name: 'Columns' }).click()
    await menu.getByRole('button', { name: 'Reset to default' }).click()
    await page.getByRole('columnheader', { name: 'Hits' }).waitFor()
    await page.keyboard.press('Escape')
  })

  await t.test('a click on a value filters, with Alt it excludes, and beside it the row opens', async () => {
    const { page } = it
    await it.visit('/traffic')
    await page.getByRole('gridcell', { name: 'Stranger' }).first().getByText('Stranger').click()
    await page.getByRole('button', { name: 'Remove the filter: Researcher is Stranger' }).waitFor()
    assert.equal(opened(), null)
    await page
      .getByRole('gridcell', { name: '401' })
      .first()
      .getByText('401')
      .click({ modifiers: ['Alt'] })
    await page.getByRole('button', { name: 'Remove the filter: Status is not 401' }).waitFor()
    await page.getByText('No requests in this window match the filters.').first().waitFor()
  })

  await t.test('requests are grouped by a field, and a group leads to its requests', async () => {
    const { page } = it
    await it.visit('/traffic')
    await page.getByLabel('Group the requests').selectOption('By status')
    const groups = page.getByRole('table', { name: 'Requests by Status' })
    await groups.getByRole('button', { name: '401', exact: true }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('group'), 'status')
    assert.deepEqual(await violations(), [])
    await groups.getByRole('button', { name: 'Exclude Status: 200' }).click()
    await page.getByRole('button', { name: 'Remove the filter: Status is not 200' }).waitFor()
    await groups.getByRole('button', { name: '401', exact: true }).click()
    await cell('/files/stranger').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('group'), null)
    assert.deepEqual(unexpected(it.browser.faults), [])
  })

  await t.test(
    'the chart says seconds, shares and totals, shows one colour alone, and flags what was changed',
    async () => {
      const { page, installation } = it
      const { body: sites } = await installation.api<{ id: string }[]>('GET', '/api/Sites')
      const path = `/api/Sites/${sites[0]?.id}/firewall`
      const { body: settings } = await installation.api<object>('GET', path)
      await installation.api('PUT', path, { ...settings, level: 'strict' })
      await it.visit('/traffic?gte=now-2m')
      const flag = page.getByRole('button', { name: /: changed the firewall, shop\.gate\.localhost/ })
      await flag.first().hover()
      await page.getByRole('tooltip').getByText('changed the firewall').first().waitFor()
      await page.mouse.move(0, 0)
      await page.getByRole('tooltip').first().waitFor({ state: 'detached' })
      await flag.first().focus()
      await page.getByRole('tooltip').getByText('changed the firewall').first().waitFor()
      await page.keyboard.press('Escape')
      const chart = page.getByRole('group', { name: /^Requests over time/ })
      await eventually(async () => {
        await installation.gate(SHOP, '/charted')
        await installation.gate(SHOP, '/charted', { key: null })
        await chart.focus()
        await page.keyboard.press('ArrowLeft')
        for (let bucket = 0; bucket < 100; bucket++) await page.keyboard.press('Shift+ArrowLeft')
        const words = (await chart.getByRole('status').textContent()) ?? ''
        return /\d\d:\d\d:\d\d.*%.*Total/.test(words)
      })
      await page.getByRole('button', { name: 'Show only Gate' }).click()
      assert.equal(await page.locator('svg path[fill^="var(--outcome"]').count(), 1)
      await page.getByRole('button', { name: 'Show only Gate' }).click()
      await page.getByLabel('Compare with the previous period').check()
      await page.locator('svg polyline[points]').first().waitFor({ state: 'attached' })
      assert.deepEqual(await violations(), [])
      await page.getByLabel('Compare with the previous period').uncheck()
      await flag.first().click()
      await page.waitForURL(/gte=20\d\d-.*lte=20\d\d-/)
      assert.deepEqual(unexpected(it.browser.faults), [])
    },
  )

  await t.test('who caused the 5xx is known after one click from the first page, at most', async () => {
    const { page, installation } = it
    const server = createServer((_request, response) => response.writeHead(500).end())
    const broken = await listenOnLoopback(server)
    try {
      await createSite(installation, BROKEN, broken.url)
      for (let sent = 0; sent < 3; sent++) await installation.gate(BROKEN, ATTACK)
      await eventually(async () => {
        const { body } = await installation.api<Situation>('GET', '/api/Analytics/situation')
        return body.period.serverErrors === 3 && body.attention.items.some(isErrorAfterHit)
      })
      let acts = 0
      const click = async (what: Locator): Promise<void> => {
        acts += 1
        await what.click()
      }
      const calls = new Set<string>()
      let count = 0
      const asked = (request: Request): void => {
        const { pathname } = new URL(request.url())
        if (!pathname.startsWith('/api/')) return
        calls.add(pathname)
        count += 1
      }
      page.on('request', asked)
      await it.visit('/')
      // No click: the list names who, and the sentence what.
      const attention = page.getByRole('region', { name: 'Needs attention' })
      await attention
        .getByText(/`?\/files\/.* of broken\.gate\.localhost answered 500 to .* 3 times, by Scripts/)
        .waitFor()
      await page.getByRole('group', { name: /^Requests over time/ }).waitFor()
      await page.getByRole('link', { name: /answered 500 to .*, 3 times$/ }).waitFor()
      await page.waitForURL(/gte=now-1h/)
      await eventually(() => calls.has('/api/Analytics/tail'))
      page.off('request', asked)
      t.diagnostic(`the overview makes ${count} calls: ${[...calls].join(', ')}`)
      assert.ok(count <= 6, [...calls].join(', '))
      const words = (await page.locator('main').textContent()) ?? ''
      assert.ok(words.includes('Scripts'))
      assert.ok(!words.includes('\u202e'), 'nothing turns the direction of text')
      assert.deepEqual(await violations(), [])

      await click(page.getByRole('link', { name: /^Server errors\s*3/ }))
      await page.getByRole('row', { name: /Scripts.*3/ }).waitFor()
      assert.ok(acts <= 4)
      t.diagnostic(`who caused the 5xx: ${acts} click`)
      await it.visit('/')
      await attention.getByRole('link', { name: 'View requests' }).first().click()
      await cell('/files/c?name').waitFor()
      assert.equal(await page.getByRole('gridcell', { name: '500' }).count(), 3)
      assert.deepEqual(unexpected(it.browser.faults), [])
    } finally {
      await broken.close()
    }
  })

  await t.test('the tasks of a day take four clicks or keys each, at most', async () => {
    const { installation } = it
    const { body: sites } = await installation.api<Site[]>('GET', '/api/Sites')
    const [shop, broken] = [SHOP, BROKEN].map((name) => sites.find(({ gatedName }) => gatedName === name))
    assert.ok(shop && broken)
    const parts = { it, shop, broken, attack: '/files/c', researcher: /Scripts/ }
    for (const [what, task] of ADMIN_TASKS) {
      const acts = await actsOf(task, parts)
      t.diagnostic(`${what}: ${acts}`)
      assert.ok(acts <= ACTS_MAX, `${what}: ${acts}`)
    }
    assert.deepEqual(unexpected(it.browser.faults), [])
  })

  /** What is shown has no violation and widens nothing, wide in the dark, on a telephone and at 200 %. */
  const fitsEverywhere = async (show: () => Promise<void>): Promise<void> => {
    const { page } = it
    for (const [scheme, width, height] of [
      ['dark', 1_920, 1_080],
      ['light', 390, 844],
      // 1,440 by 900 at 200 %.
      ['dark', 720, 450],
    ] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height })
      await show()
      assert.deepEqual(await violations(), [], `${scheme} ${width}`)
      const overflow = await page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth)
      assert.ok(overflow <= 0, `${width} pixels: ${overflow} too wide`)
    }
    assert.deepEqual(unexpected(it.browser.faults), [])
  }

  await t.test('the first page in the dark, on a telephone and at 200 %', () =>
    fitsEverywhere(async () => {
      await it.visit('/')
      const attention = it.page.getByRole('region', { name: 'Needs attention' })
      await attention.getByRole('link').first().waitFor()
    }),
  )

  await t.test('dark, narrow, wide and at 200 % nothing is violated, and a long target widens nothing', () =>
    fitsEverywhere(async () => {
      await it.visit('/traffic?path=/long')
      await cell('/long').click()
      await inspector().getByText('Request id').waitFor()
    }),
  )
})
