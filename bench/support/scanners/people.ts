/** People at work: browsing in Chromium, applications that ask by themselves, a command line, payloads typed by hand. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { CHROME_NAVIGATION } from './headers.ts'
import type { Sample, Seat } from './sample.ts'

const isOver = ({ until }: Seat): boolean => performance.now() >= until

/** As long as somebody looks at a page: a second to a quarter of a minute, mostly short. */
const read = ({ random, until }: Seat): Promise<void> =>
  delay(Math.min(1_000 + 14_000 * random.next() ** 3, Math.max(until - performance.now(), 0)))

async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: 'domcontentloaded' }).catch(() => undefined)
}

const browsing =
  (site: Parameters<Seat['siteUrl']>[0], paths: readonly string[]) =>
  async (seat: Seat): Promise<void> => {
    const page = await seat.openPage()
    while (!isOver(seat)) {
      await visit(page, `${seat.siteUrl(site)}${seat.random.pick(paths)}`)
      await read(seat)
    }
  }

const PROMETHEUS_PAGES = [
  '/graph?g0.expr=up&g0.tab=0',
  '/targets',
  '/rules',
  '/alerts',
  '/config',
  '/flags',
  '/tsdb-status',
]
const SHOP_PAGES = [
  '/',
  '/products',
  ...[1, 2, 3, 4, 5, 6, 99].map((id) => `/products/${id}`),
  '/search?q=rope',
  '/admin',
  '/nowhere',
]
const MADE_UP_PAGES = Array.from({ length: 60 }, (_, index) => `/docs/${index}`)

export const PEOPLE: readonly Sample[] = [
  { name: 'a shop, looked at', isScanner: false, isHeldOut: false, run: browsing('shop', SHOP_PAGES) },
  {
    name: 'a page with 40 pictures, 16 of them not there',
    isScanner: false,
    isHeldOut: false,
    run: browsing('made-up', ['/gallery', '/gallery?page=2', '/gallery?page=3', '/']),
  },
  {
    name: 'an application of one page that polls',
    isScanner: false,
    isHeldOut: false,
    run: async (seat) => {
      const page = await seat.openPage()
      await visit(page, `${seat.siteUrl('made-up')}/polling`)
      await delay(Math.max(seat.until - performance.now(), 0))
    },
  },
  {
    name: 'twenty links opened at once, twice',
    isScanner: false,
    isHeldOut: false,
    run: async (seat) => {
      const pages = await Promise.all([1, 2, 3, 4].map(() => seat.openPage()))
      for (let link = 0; link < 40 && !isOver(seat); link += 4) {
        await Promise.all(
          pages.map((page, index) => visit(page, `${seat.siteUrl('made-up')}/docs/${link + index}`)),
        )
        if (link === 16) await delay(Math.max((seat.until - performance.now()) / 2, 0))
      }
    },
  },
  {
    name: 'documentation, read',
    isScanner: false,
    isHeldOut: true,
    run: browsing('made-up', MADE_UP_PAGES),
  },
  {
    name: 'an admin interface that asks its server much (Prometheus)',
    isScanner: false,
    isHeldOut: true,
    needs: 'prometheus',
    run: browsing('prometheus', PROMETHEUS_PAGES),
  },
  {
    name: 'an editor of 200 files that is reloaded (Node-RED)',
    isScanner: false,
    isHeldOut: true,
    needs: 'node-red',
    run: browsing('node-red', ['/', '/#flow']),
  },
  {
    name: 'a page of pictures of which none is there',
    isScanner: false,
    isHeldOut: true,
    run: browsing('made-up', ['/broken', '/broken?page=2', '/']),
  },
  {
    name: 'a person with curl',
    isScanner: false,
    isHeldOut: true,
    run: async (seat) => {
      const headers = ['User-Agent', 'curl/8.14.1', 'Accept', '*/*']
      while (!isOver(seat)) {
        await seat.send(
          'shop',
          seat.random.pick([...SHOP_PAGES, '/robots.txt', '/.env', '/api/orders/1001']),
          headers,
        )
        await read(seat)
      }
    },
  },
  {
    name: 'payloads by hand, in a browser’s request',
    isScanner: false,
    isHeldOut: true,
    run: async (seat) => {
      const page = await seat.openPage()
      await visit(page, `${seat.siteUrl('shop')}/`)
      while (!isOver(seat)) {
        const payload = seat.random.pick([
          "'",
          "1' OR '1'='1",
          '<script>alert(1)</script>',
          '1 AND SLEEP(2)',
          "1' ORDER BY 3--",
        ])
        await seat.send(
          'shop',
          `/search?q=${encodeURIComponent(payload)}&n=${seat.random.below(9)}`,
          CHROME_NAVIGATION,
        )
        await read(seat)
      }
    },
  },
]
