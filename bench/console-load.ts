/**
 * Measures the console's first load: `node bench/console-load.ts [runs]`, 5 by default. Prints medians of
 *
 * - the JavaScript that the first page transfers, compressed, and its requests; and the same with its styles and its font;
 * - the time from the navigation until the first numbers of the overview are painted;
 * - the time until the page is interactive: its first numbers are painted and no task longer than 50 ms follows within
 *   half a second. A key press at that moment must open the command palette; how long that takes is printed, too.
 *
 * Each run clears the cache, and slows the processor down four times by the browser's own means. The owner is signed
 * in at the issuer, and the tab is new: what is measured includes what signs a new tab in. A second
 * series loads the sign-in page as a stranger.
 */
import type { CDPSession, Page } from 'playwright-core'
import { startBrowser } from '../test/browser/support/chromium.ts'
import { consoleUrlOf, signIn } from '../test/browser/support/console.ts'
import { type Installation, startInstallation, untilRecorded } from '../test/support/installation.ts'
import { startOrigin } from '../test/support/origin.ts'
import { createSite } from '../test/support/site.ts'
import { median } from './support/statistics.ts'

const SLOW_DOWN = 4
const QUIET_MS = 500
const HOST = 'shop.gate.localhost'
const REQUESTS = 200
const SETTLE_MS = 2_000

interface Load {
  readonly scriptKilobytes: number
  readonly fileKilobytes: number
  readonly requests: number
  readonly shownMs: number
  readonly interactiveMs: number
  readonly keyMs: number
}

/** What the page itself notes, in milliseconds since the epoch. */
interface Noted {
  readonly shownAt: number
  /** Start and end of tasks longer than 50 ms. */
  readonly longTasks: readonly (readonly [number, number])[]
}

const runs = Number(process.argv[2] ?? 5)
const installation = await startInstallation()
const origin = await startOrigin()
const browser = await startBrowser()
try {
  await fill(installation)
  const url = consoleUrlOf(installation)
  const signInPage = await series(() => measureSignIn(url))
  console.log(`sign-in page, as a stranger: form ready in ${words(signInPage)}`)
  const first = await browser.open()
  await first.goto(url)
  await signIn(first, installation)
  const loads: Load[] = []
  for (let run = 0; run < runs; run += 1) loads.push(await measureOverview(url))
  report(loads)
} finally {
  await browser.close()
  await origin.close()
  await installation.remove()
}

/** A site, and requests that make the overview show something. */
async function fill(target: Installation): Promise<void> {
  await createSite(target, HOST, origin.url)
  for (let index = 0; index < REQUESTS; index += 1)
    await target.gate(HOST, `/products/${index % 20}?q=${index}`)
  await untilRecorded(target, REQUESTS)
}

/** A new tab with a cold cache on a slow processor. */
async function openSlow(): Promise<{ readonly page: Page; readonly devtools: CDPSession }> {
  const page = await browser.open()
  const devtools = await browser.context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.clearBrowserCache')
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN })
  return { page, devtools }
}

async function measureSignIn(url: string): Promise<number> {
  const { page } = await openSlow()
  const startedAt = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator('input[name="email"]').waitFor()
  const took = performance.now() - startedAt
  await page.close()
  return took
}

async function measureOverview(url: string): Promise<Load> {
  const { page, devtools } = await openSlow()
  const scripts = countFiles(devtools, /\.js$/)
  const files = countFiles(devtools, /\.(js|css|woff2)$/)
  await page.addInitScript(noteLoad)
  const startedAt = Date.now()
  await page.goto(url, { waitUntil: 'commit' })
  const { shownAt, interactiveAt } = await untilInteractive(page)
  const pressedAt = performance.now()
  await page.keyboard.press('/')
  await page.getByRole('combobox').waitFor()
  const keyMs = performance.now() - pressedAt
  await page.waitForTimeout(SETTLE_MS)
  const load = {
    scriptKilobytes: scripts.bytes() / 1024,
    fileKilobytes: files.bytes() / 1024,
    requests: scripts.count(),
    shownMs: shownAt - startedAt,
    interactiveMs: interactiveAt - startedAt,
    keyMs,
  }
  await page.close()
  return load
}

/** Bytes of files over the wire, as compressed, and how many came. */
function countFiles(devtools: CDPSession, named: RegExp) {
  const files = new Set<string>()
  let bytes = 0
  devtools.on('Network.responseReceived', ({ requestId, response }) => {
    if (named.test(response.url)) files.add(requestId)
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) bytes += encodedDataLength
  })
  return { bytes: () => bytes, count: () => files.size }
}

/** Runs in the page before its own scripts. */
function noteLoad(): void {
  const noted = { shownAt: 0, longTasks: [] as [number, number][] }
  Object.assign(globalThis, { noted })
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) {
      const start = performance.timeOrigin + task.startTime
      noted.longTasks.push([start, start + task.duration])
    }
  }).observe({ type: 'longtask', buffered: true })
  const look = () => {
    const isShown = [...document.querySelectorAll('main a')].some((link) =>
      /^Requests\s*[1-9]/.test(link.textContent ?? ''),
    )
    if (!isShown) return requestAnimationFrame(look)
    // The frame after the one in which the number entered the document has painted it.
    return requestAnimationFrame(() => {
      noted.shownAt = performance.timeOrigin + performance.now()
    })
  }
  requestAnimationFrame(look)
}

async function untilInteractive(page: Page): Promise<{ shownAt: number; interactiveAt: number }> {
  for (;;) {
    // The page may be on its way to the issuer and back, where nothing is noted yet.
    const noted = await page.evaluate(() => (globalThis as { noted?: Noted }).noted).catch(() => undefined)
    const shownAt = noted?.shownAt ?? 0
    const busyUntil = Math.max(shownAt, ...(noted?.longTasks ?? []).map(([, end]) => end))
    if (shownAt > 0 && Date.now() - busyUntil > QUIET_MS) return { shownAt, interactiveAt: busyUntil }
    await page.waitForTimeout(50)
  }
}

async function series(measure: () => Promise<number>): Promise<number[]> {
  const values: number[] = []
  for (let run = 0; run < runs; run += 1) values.push(await measure())
  return values
}

function words(values: readonly number[], unit = 'ms'): string {
  return `${median(values).toFixed(0)} ${unit} (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`
}

function report(loads: readonly Load[]): void {
  const of = (key: keyof Load) => loads.map((load) => load[key])
  console.log(`overview, signed in, new tab, cold cache, processor ${SLOW_DOWN} times slower:`)
  console.log(`  JavaScript: ${words(of('scriptKilobytes'), 'KB')} in ${median(of('requests'))} files`)
  console.log(`  with styles and font: ${words(of('fileKilobytes'), 'KB')}`)
  console.log(`  first numbers painted: ${words(of('shownMs'))}`)
  console.log(`  interactive: ${words(of('interactiveMs'))}`)
  console.log(`  key press to palette: ${words(of('keyMs'))}`)
}
