/**
 * Measures the console of a large organization: `node bench/console-scale.ts [sites] [researchers] [scroll]`, 500 and 2,000 unless
 * said otherwise, all of them with names of up to 200 characters; with `scroll`, the scrolls alone. Prints, for each page, the calls of the API until it is shown, their bytes
 * as they travel and as they are, and what sticks out of it at some widths; for the two long lists how long the frames of a scroll take.
 */
import type { Page } from 'playwright-core'
import { startBrowser } from '../test/browser/support/chromium.ts'
import { consoleUrlOf, signIn } from '../test/browser/support/console.ts'
import { consolePaths } from '../test/browser/support/console-pages.ts'
import { sticksOut } from '../test/browser/support/layout/sticks-out.ts'
import { eventually, type Installation, startInstallation } from '../test/support/installation.ts'
import { quantile } from './support/statistics.ts'

const SIDE_BY_SIDE = 8
const REQUESTS = 300
const QUIET_MS = 1_500
/** What a polling page asks again comes later than this. */
const SHOWN_MS = 4_000
const SETTLE_MS = 400
const STEPS = 300
const PIXELS_A_FRAME = [100, 2_000]
/** 720 is 1,440 at 200 %. */
const WIDTHS = [390, 720, 1440, 1920]
const LONG = 'the quarterly assessment of everything that we run for customers abroad and at home '.repeat(3)
const UNBROKEN = 'w'.repeat(200)

const [sites = 500, researchers = 2_000] = process.argv.slice(2, 4).map(Number)
const scrollsOnly = process.argv[4] === 'scroll'
const installation = await startInstallation()
const browser = await startBrowser()
try {
  const ids = await fill(installation)
  const page = await browser.open()
  const url = consoleUrlOf(installation)
  await page.goto(url)
  await signIn(page, installation)
  for (const path of scrollsOnly ? [] : consolePaths(ids)) await measurePage(page, url, path)
  await measureScroll(page, `${url}sites`, 0)
  await measureScroll(page, `${url}researchers`, Math.ceil(researchers / 100) - 1)
} finally {
  await browser.close()
  await installation.remove()
}

/** Sites and researchers as an organization makes them, and some traffic of the last of them. */
async function fill(target: Installation) {
  const made = async (path: string, body: unknown): Promise<{ readonly id: string }> => {
    const answer = await target.api<{ readonly id: string }>('POST', path, body)
    if (answer.status !== 201 && answer.status !== 200)
      throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const startedAt = performance.now()
  const siteIds = await sideBySide(sites, async (index) => {
    const label = `site-${index}-${'long-'.repeat(9)}name`
    const { id } = await made('/api/Sites', {
      originName: `https://${label}.${'and-'.repeat(12)}on.${'and-'.repeat(12)}on.example.com`,
      gatedName: `${label}.gate.localhost`,
      isActive: index % 3 !== 0,
      instructions: LONG,
    })
    return id
  })
  const researcherIds = await sideBySide(researchers, async (index) => {
    const name = index % 2 === 0 ? `Researcher ${index} ${UNBROKEN}` : `Researcher ${index}, of ${LONG}`
    const { id } = await made('/api/Hackers', {
      email: `researcher-${index}@example.com`,
      name: name.slice(0, 200),
    })
    return id
  })
  const project = await made('/api/Projects', { name: LONG.slice(0, 200) })
  const [siteId = '', researcherId = ''] = [siteIds.at(-1), researcherIds.at(-1)]
  const host = `site-${sites - 1}-${'long-'.repeat(9)}name.gate.localhost`
  await sideBySide(REQUESTS, (index) =>
    target.gate(host, `/${UNBROKEN}/${index % 9}?q=${encodeURIComponent(LONG.slice(0, 60))}`),
  )
  await eventually(async () => {
    const { body } = await target.api<{ total: number }>('GET', '/api/Analytics/facets?field=site')
    return body.total === REQUESTS
  }, 60_000)
  console.log(
    `${sites} sites, ${researchers} researchers made in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`,
  )
  return { siteId, researcherId, projectId: project.id }
}

async function sideBySide<Made>(count: number, make: (index: number) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) made[index] = await make(index)
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work))
  return made
}

async function measurePage(page: Page, url: string, path: string): Promise<void> {
  const calls: string[] = []
  let [travelled, whole] = [0, 0]
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  const kinds = new Set<string>()
  let lastAt = performance.now()
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (!new URL(request.url).pathname.startsWith('/api/')) return
    kinds.add(requestId)
    calls.push(new URL(request.url).pathname)
    lastAt = performance.now()
  })
  devtools.on('Network.dataReceived', ({ requestId, dataLength }) => {
    if (kinds.has(requestId)) whole += dataLength
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (kinds.has(requestId)) travelled += encodedDataLength
  })
  const startedAt = performance.now()
  await page.goto(`${url}${path.replace(/^\//, '')}`)
  await page.locator('h1').first().waitFor()
  while (performance.now() - lastAt < QUIET_MS && performance.now() - startedAt < SHOWN_MS)
    await page.waitForTimeout(50)
  await devtools.detach()
  const [count, kilobytes, plain] = [calls.length, travelled / 1024, whole / 1024]
  console.log(
    `${path.replace(/[0-9a-f-]{36}/, '…')}: ${count} calls, ${kilobytes.toFixed(1)} KB of ${plain.toFixed(1)} KB${count > 6 ? `: ${calls.join(' ')}` : ''}`,
  )
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    // Charts are drawn anew once they know their width.
    await page.waitForTimeout(SETTLE_MS)
    for (const found of await sticksOut(page)) console.log(`  at ${width} pixels: ${found}`)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

/** @param pages how often more of the list is asked for first */
async function measureScroll(page: Page, url: string, pages: number): Promise<void> {
  await page.goto(url)
  await page.getByRole('table').first().waitFor()
  const more = page.getByRole('button', { name: 'Show more' })
  for (let index = 0; index < pages; index += 1) {
    await more.click()
    await page.waitForFunction(() => !document.querySelector('main [data-loading="true"]'))
  }
  for (const pixels of PIXELS_A_FRAME) {
    const frames = await page.evaluate(
      async ([steps = 0, distance = 0]) => {
        const scroller = document.querySelector('#main')
        const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
        const taken: number[] = []
        scroller?.scrollTo(0, 0)
        let last = await nextFrame()
        for (let step = 0; step < steps; step += 1) {
          const top = (scroller?.scrollTop ?? 0) + distance
          scroller?.scrollTo(0, top > scroller.scrollHeight - 900 ? 0 : top)
          const now = await nextFrame()
          taken.push(now - last)
          last = now
        }
        return taken
      },
      [STEPS, pixels],
    )
    const rows = await page.locator('main tbody tr').count()
    console.log(
      `${new URL(url).pathname}, ${pixels} pixels a frame: median ${quantile(frames, 0.5).toFixed(1)} ms, 95 % ${quantile(frames, 0.95).toFixed(1)} ms, slowest ${Math.max(...frames).toFixed(0)} ms; ${rows} rows in the document`,
    )
  }
}
