/**
 * Measures the traffic page over an installation with many requests: `node bench/console-traffic.ts <its data folder>`
 * (one made by `bench/traffic-store.ts`, for example). Starts it, signs in by a browser, and prints for windows of 24
 * hours, 7 and 30 days, as medians of 5:
 *
 * - first chart: from the click on "Traffic" (by an address with the window) until its bars are painted;
 * - all of the page: until facets and table are there, too;
 * - filter change: from the click on a value until the chart is that of the new filters, and until everything is.
 */
import type { Page } from 'playwright-core'
import { startBrowser } from '../test/browser/support/chromium.ts'
import { consoleUrlOf, signIn } from '../test/browser/support/console.ts'
import { startInstallation } from '../test/support/installation.ts'
import { median } from './support/statistics.ts'

const WINDOWS = ['now-24h', 'now-7d', 'now-30d']
const ROUNDS = 5
const WAIT_MS = 120_000
/** Values clicked in turn: a frequent one, a rare one, and one that excludes. */
const FILTERS = ['Block rule', 'Exclude Outcome: Passed', 'nikto', 'GET', 'POST']

const dataDir = process.argv[2]
if (!dataDir) throw new Error('name the data folder of an installation')
const installation = await startInstallation({ dataDir })
const browser = await startBrowser()
try {
  const page = await browser.open()
  page.setDefaultTimeout(WAIT_MS)
  const url = consoleUrlOf(installation)
  await page.goto(url)
  await signIn(page, installation)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const { body } = await installation.api<{ total: number }>(
    'GET',
    '/api/Analytics/facets?gte=now-400d&field=site&values=1',
  )
  console.log(`requests stored: ${body.total.toLocaleString('en')}`)
  for (const window of WINDOWS) await measureWindow(page, url, window)
} finally {
  await browser.close()
  await installation.remove()
}

interface Times {
  readonly chart: number
  readonly all: number
}

async function measureWindow(page: Page, url: string, window: string): Promise<void> {
  const opened: Times[] = []
  const changed: Times[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto(`${url}projects`)
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    opened.push(await timed(page, () => openTraffic(page, window)))
    const filter = FILTERS[round % FILTERS.length] ?? ''
    changed.push(await timed(page, () => choose(page, filter)))
  }
  report(`${window}, first view`, opened)
  report(`${window}, filter change`, changed)
}

/** As the link in the side bar does, but with a window. */
function openTraffic(page: Page, window: string): Promise<void> {
  return page.evaluate((gte) => {
    const link = [...document.querySelectorAll('a')].find((one) => one.pathname.endsWith('/traffic'))
    if (!link) throw new Error('the side bar has no link to the traffic page')
    // The router listens to the history, so that an address with a query is followed as a click on a link would be.
    history.pushState(null, '', `${link.pathname}?gte=${gte}`)
    dispatchEvent(new PopStateEvent('popstate'))
  }, window)
}

async function choose(page: Page, value: string): Promise<void> {
  const facets = page.getByRole('region', { name: 'Filter by value' })
  const button = facets.getByRole('button', { name: value, exact: true }).first()
  if ((await button.count()) > 0) await button.click()
  else await facets.getByRole('listitem').getByRole('button').first().click()
}

/** Milliseconds from the act until the chart, and everything, is painted and of the present filters. */
async function timed(page: Page, act: () => Promise<void>): Promise<Times> {
  await page.evaluate(watch)
  await act()
  await page.waitForFunction(() => (globalThis as { seen?: { all: number } }).seen?.all)
  return page.evaluate(() => {
    const { seen } = globalThis as unknown as { seen: { start: number; chart: number; all: number } }
    return { chart: seen.chart - seen.start, all: seen.all - seen.start }
  })
}

/** Runs in the page: notes when the address changes, and the frames in which chart and page are those of the new one. */
function watch(): void {
  const seen = { start: 0, chart: 0, all: 0 }
  Object.assign(globalThis, { seen })
  const address = location.href
  const look = () => {
    if (seen.start === 0 && location.href !== address) seen.start = performance.now()
    const panel = document.querySelector('main section:has([role="group"] svg)')
    if (seen.start > 0 && seen.chart === 0 && panel?.getAttribute('aria-busy') === 'false')
      seen.chart = performance.now()
    const isWaiting = document.querySelector('main [aria-busy="true"], main [role="status"] [aria-hidden]')
    const isThere =
      document.querySelector('main [role="gridcell"], main td') ?? document.querySelector('main strong')
    if (seen.chart > 0 && !isWaiting && isThere) seen.all = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

function report(name: string, times: readonly Times[]): void {
  const words = (values: number[]) =>
    `${median(values).toFixed(0)} ms (slowest ${Math.max(...values).toFixed(0)})`
  console.log(
    `${name}: chart ${words(times.map(({ chart }) => chart))}, all ${words(times.map(({ all }) => all))}`,
  )
}
