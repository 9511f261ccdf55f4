/** A flood of strangers: counted to the request by everything that counts, and said so in the console. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'

const SHOP = 'shop.gate.localhost'
const FLOOD = 900
const AT_ONCE = 60
/** Enough for all rows of the flood. */
const SCROLLS_MAX = 100
/** Refusals of one address that are recorded by themselves: at once, and each second (docs/journal.md). */
const SINGLE = { burst: 200, perSecond: 20 }

interface Listed {
  readonly items: readonly {
    readonly id: string
    readonly researcherId: string
    readonly requestCount: number
  }[]
}

test('a flood of strangers', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  let floodSeconds = 0
  before(async () => {
    it = await openConsole()
    await createSite(it.installation, SHOP, it.origin.url)
    const startedAt = performance.now()
    for (let sent = 0; sent < FLOOD; sent += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) =>
          it.installation.gate(SHOP, `/guess/${sent + index}`, { key: 'rk_live_guessed' }),
        ),
      )
    floodSeconds = (performance.now() - startedAt) / 1_000
    assert.equal((await it.installation.gate(SHOP, '/mine')).status, 200)
  })
  after(() => it.close())

  await t.test('totals and the timeline are exact, with a fraction of the events', async () => {
    const { api } = it.installation
    const total = await eventually(async () => {
      const { body } = await api<string>('GET', '/api/Analytics/getTotalRequest')
      const counted = JSON.parse(body)
      return counted.total >= FLOOD + 1 && counted
    }, 15_000)
    assert.equal(total.total, FLOOD + 1)
    assert.equal(total.outcomes.gate, FLOOD)
    const timeline = JSON.parse((await api<string>('GET', '/api/Analytics/getTrafficTimeline')).body)
    assert.equal(
      timeline.buckets.reduce((sum: number, bucket: { total: number }) => sum + bucket.total, 0),
      FLOOD + 1,
    )
    let events = 0
    let standFor = 0
    for (let cursor = ''; ; ) {
      const { body } = await api<Listed & { next: string | null }>(
        'GET',
        `/api/Analytics/requests?limit=500${cursor && `&cursor=${cursor}`}`,
      )
      events += body.items.length
      standFor += body.items.reduce((sum, { requestCount }) => sum + requestCount, 0)
      if (body.next === null) break
      cursor = body.next
    }
    assert.equal(standFor, FLOOD + 1)
    // The researcher's one, the single ones, and one or two for every two seconds.
    const eventsMax = 1 + SINGLE.burst + SINGLE.perSecond * floodSeconds + (floodSeconds + 2)
    assert.ok(events <= eventsMax, `${events} events of ${FLOOD} requests in ${floodSeconds} s`)
    t.diagnostic(`${FLOOD} requests in ${floodSeconds.toFixed(1)} s: ${events} events`)
  })

  await t.test('the log says how many a row stands for, and what that means', async () => {
    const { page } = it
    await it.visit('/traffic')
    const standsForMany = page.getByRole('gridcell', { name: /^× [\d,]+/ }).first()
    // Only rows in sight are there, and the slower the flood was, the more single ones stand above the first of these.
    await page.getByRole('grid').hover()
    for (let turns = 0; turns < SCROLLS_MAX && !(await standsForMany.isVisible()); turns += 1) {
      await page.mouse.wheel(0, 300)
      await delay(100)
    }
    await standsForMany.click()
    await page.getByText(/alike ones are counted together/).waitFor()
    await page.locator('strong', { hasText: /^[\d,]+ requests$/ }).waitFor()
    // Their targets differed, so there is none to show, to copy or to look for.
    assert.equal(await page.getByRole('heading', { name: 'Target as sent' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'All requests of this route' }).count(), 0)
    assert.deepEqual(unexpected(it.browser.faults), [])
  })
})
