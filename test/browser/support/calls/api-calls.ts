/** What a page asks of the API until it is quiet, each call that was answered by its method and path. */
import type { Page, Request } from 'playwright-core'
import { eventually } from '../../../support/installation.ts'

/** A feed of live events is one request that never ends: it is no call that a page waits for, and is not counted. */
const FEED = '/api/Analytics/tail'
const POLLS_OFF = 'test.polls-off'
const QUIET_DEADLINE_MS = 30_000

const pathOf = (request: Request): string => new URL(request.url()).pathname
const isFeed = (request: Request): boolean => pathOf(request) === FEED

/**
 * Opens addresses in a page whose repetitions stand still, so that what is asked again every few seconds is counted once, and what is asked
 * twice is counted twice. The page is as before once `done`.
 */
export async function countApiCalls(page: Page): Promise<{
  readonly callsOf: (url: string) => Promise<string[]>
  readonly done: () => Promise<void>
}> {
  await page.addInitScript((flag) => {
    if (sessionStorage.getItem(flag) === null) return
    const start = window.setInterval
    // What runs more often than twice a second draws, and asks nothing.
    window.setInterval = ((run: TimerHandler, ms = 0) => (ms < 500 ? start(run, ms) : 0)) as typeof start
  }, POLLS_OFF)
  await page.evaluate((flag) => sessionStorage.setItem(flag, 'true'), POLLS_OFF)
  return {
    callsOf: (url) => callsUntilQuiet(page, url),
    done: () => page.evaluate((flag) => sessionStorage.removeItem(flag), POLLS_OFF),
  }
}

async function callsUntilQuiet(page: Page, url: string): Promise<string[]> {
  const calls = new Map<Request, string>()
  const running = new Set<Request>()
  let begun = 0
  const onBegin = (request: Request) => {
    if (isFeed(request)) return
    begun += 1
    running.add(request)
    if (pathOf(request).startsWith('/api/')) calls.set(request, `${request.method()} ${pathOf(request)}`)
  }
  const onEnd = (request: Request) => void running.delete(request)
  // On a machine that is busy elsewhere a call may not be answered in time, and is made again.
  const onFailure = (request: Request) => {
    calls.delete(request)
    onEnd(request)
  }
  page.on('request', onBegin).on('requestfinished', onEnd).on('requestfailed', onFailure)
  try {
    await page.goto(url)
    await page.locator('h1').first().waitFor()
    for (let seen = -1; seen !== begun || running.size > 0; ) {
      seen = begun
      await eventually(async () => running.size === 0, QUIET_DEADLINE_MS)
      await nothingLeftToRun(page)
    }
  } finally {
    page.off('request', onBegin).off('requestfinished', onEnd).off('requestfailed', onFailure)
  }
  return [...calls.values()]
}

/** Resolves once the page has drawn what it was answered, and begun what follows from that. */
const nothingLeftToRun = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve) => requestIdleCallback(resolve))
      await new Promise((resolve) => setTimeout(resolve))
    }
  })
