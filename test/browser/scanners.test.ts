/** What the console says of a scanner with a browser's user agent: overview, request, filter, and the researcher's page. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { untilRecorded } from '../support/installation.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { createSite } from '../support/site.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'

const SHOP = 'shop.gate.localhost'
const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36'
const WORDS = 60
const AT_ONCE = 6

test('a scanner in the console', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  // Nothing is there; and no Accept-Language is sent: so it is known however slowly the requests come.
  const nothing = await listenOnLoopback(createServer((_request, response) => response.writeHead(404).end()))
  before(async () => {
    it = await openConsole()
    const { installation } = it
    await createSite(installation, SHOP, nothing.url)
    const headers = { 'user-agent': CHROME, accept: 'text/html,*/*', 'accept-encoding': 'gzip' }
    for (let word = 0; word < WORDS; word += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) =>
          installation.gate(SHOP, `/missing/${word + index}`, { headers }),
        ),
      )
    await untilRecorded(installation, WORDS)
  })
  after(async () => {
    await it.close()
    await nothing.close()
  })

  await t.test('the overview says how much of the traffic scanners sent, and leads to it', async () => {
    const { page } = it
    const clause = page.getByRole('link', { name: /scanners sent (?:\d+ %|almost all|all) of the traffic/i })
    await it.visit('/')
    await clause.click()
    await page
      .getByRole('button', { name: 'Remove the filter: Scanner, in percent, is at least 80' })
      .waitFor()
    assert.match(await page.getByRole('combobox', { name: 'Filter requests' }).inputValue(), /scanner:80/)
  })

  await t.test('a request says how sure it is, and why', async () => {
    const { page } = it
    await page
      .getByRole('gridcell', { name: /\/missing\// })
      .first()
      .click()
    await page.getByText(/^\d+ % sure: .*mostly what is not there/).waitFor()
  })

  await t.test('the researcher’s page says it beside the tools', async () => {
    const { page } = it
    const { researcher } = it.installation.firstRun
    const row = page.getByRole('link', { name: 'of these, a scanner by what it does' })
    await it.visit(`/researchers/${researcher.id}`)
    await row.click()
    await page.getByRole('button', { name: 'Remove the filter: Tool is None' }).waitFor()
    await page
      .getByRole('button', { name: 'Remove the filter: Scanner, in percent, is at least 80' })
      .waitFor()
  })

  await t.test('nothing failed on the way', () => {
    assert.deepEqual(unexpected(it.browser.faults), [])
  })
})
