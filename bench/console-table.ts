/**
 * Measures the request table with many rows: `node bench/console-table.ts <data folder of an installation> [rows]`,
 * 100,000 unless said otherwise. The installation must hold as many requests of the last 30 days. Loads them a page at a
 * time by scrolling to the end, as a person would, then scrolls from their middle on and prints how long the frames
 * took, how many tasks were longer than 50 ms, and what the page holds in memory.
 */
import type { CDPSession, Page } from 'playwright-core'
import { startBrowser } from '../test/browser/support/chromium.ts'
import { consoleUrlOf, signIn } from '../test/browser/support/console.ts'
import { startInstallation } from '../test/support/installation.ts'
import { quantile } from './support/statistics.ts'

const LOAD_WAIT_MS = 240_000
const SCROLL_STEPS = 300
/** Pixels a frame: as a wheel is turned fast, and as the bar is dragged through everything. */
const SPEEDS = [
  ['by the wheel, 100 pixels a frame', 100],
  ['by the bar, 2,000 pixels a frame, every row new', 2_000],
] as const
const MEGABYTE = 1024 * 1024

const [, , dataDir, wanted = '100000'] = process.argv
if (!dataDir) throw new Error('name the data folder of an installation')
const rowsWanted = Number(wanted)
const installation = await startInstallation({ dataDir })
const browser = await startBrowser()
try {
  const page = await browser.open()
  const devtools = await browser.context.newCDPSession(page)
  const url = consoleUrlOf(installation)
  await page.goto(url)
  await signIn(page, installation)
  await page.goto(`${url}traffic?gte=now-30d`)
  await page.getByRole('gridcell').first().waitFor()
  const before = await heapMegabytes(devtools)
  const startedAt = performance.now()
  const rows = await loadRows(page)
  console.log(`${rows} rows loaded in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
  console.log(
    `heap: ${before.toFixed(0)} MB with the first page, ${(await heapMegabytes(devtools)).toFixed(0)} MB with all`,
  )
  for (const [name, pixels] of SPEEDS) {
    const { frames, longTasks } = await scrollThrough(page, pixels)
    console.log(
      `${name}: ${frames.length} frames, median ${quantile(frames, 0.5).toFixed(1)} ms, 95 % ${quantile(frames, 0.95).toFixed(1)} ms, slowest ${Math.max(...frames).toFixed(0)} ms; ${longTasks} tasks longer than 50 ms`,
    )
  }
  console.log(`rows in the document: ${await page.locator('main [role="grid"] tbody tr').count()}`)
} finally {
  await browser.close()
  await installation.remove()
}

/** Keeps the table at its end, which asks for the next page, until it holds enough. */
function loadRows(page: Page): Promise<number> {
  return page.evaluate(
    async ([enough = 0, waitMs = 0]) => {
      const grid = document.querySelector('main [role="grid"]')
      const scroller = grid?.parentElement
      const rowCount = () => Number(grid?.getAttribute('aria-rowcount')) - 1
      const end = performance.now() + waitMs
      while (rowCount() < enough && performance.now() < end) {
        scroller?.scrollTo(0, scroller.scrollHeight)
        await new Promise((resolve) => requestAnimationFrame(resolve))
      }
      return rowCount()
    },
    [rowsWanted, LOAD_WAIT_MS],
  )
}

async function heapMegabytes(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  return usedSize / MEGABYTE
}

/** From the middle on, so many pixels a frame. */
function scrollThrough(page: Page, pixels: number): Promise<{ frames: number[]; longTasks: number }> {
  return page.evaluate(
    async ([steps = 0, distance = 0]) => {
      const scroller = document.querySelector('main [role="grid"]')?.parentElement
      let longTasks = 0
      const observer = new PerformanceObserver((list) => {
        longTasks += list.getEntries().length
      })
      observer.observe({ type: 'longtask' })
      const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
      const frames: number[] = []
      let last = await nextFrame()
      const start = (scroller?.scrollHeight ?? 0) / 3
      for (let step = 0; step < steps; step += 1) {
        scroller?.scrollTo(0, start + step * distance)
        const now = await nextFrame()
        frames.push(now - last)
        last = now
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
      observer.disconnect()
      return { frames, longTasks }
    },
    [SCROLL_STEPS, pixels],
  )
}
