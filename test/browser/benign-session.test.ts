/**
 * An ordinary session of a real application: the console itself, used in Chromium. Every request that the browser sends
 * (pages, scripts, fonts, sign-in, the API with its tokens, saved prose and definitions, the live tail) is judged by the default rules.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, maintainedRules, ownRules } from '@sallyport/firewall'
import type { Request } from 'playwright-core'
import { inspect, type TestRequest } from '../../packages/firewall/test/support/corpus.ts'
import { createSite } from '../support/site.ts'
import { withoutChromium } from './support/chromium.ts'
import { openConsole } from './support/console.ts'

const SHOP = 'shop.gate.localhost'
const PAGES = [
  '/',
  '/sites',
  '/traffic?gte=now-7d&outcome=!block&path=/orders&search=O%27Brien%20%26%20Sons',
  '/traffic?live=true',
  '/researchers',
  '/firewall',
  '/organization/audit',
  '/organization/members',
  '/organization/keys',
]
const INSTRUCTIONS = `Please test the shop, not the payment provider. Don't delete orders that aren't yours.

- Log in as "mira", password in the box below; select any product and insert it into the cart.
- Prices come from the table of the union of both warehouses; 2 < 3 should hold for every discount.
- N\u2019oubliez pas l\u2019acc\u00e8s \u00e0 l\u2019API : GET /api/items?limit=10&sort=name
- \u8bf7\u4e0d\u8981\u4fee\u6539\u5176\u4ed6\u7528\u6237\u7684\u6570\u636e\u3002`

const HIT_SHARE_MAX = 0.01
const REQUESTS_MIN = 100

test('an ordinary session of the console trips no rule to speak of', {
  skip: withoutChromium,
}, async (context) => {
  const it = await openConsole()
  context.after(() => it.close())
  const sent: Request[] = []
  it.browser.context.on('request', (request) => sent.push(request))
  const site = await createSite(it.installation, SHOP, it.origin.url)
  for (const path of PAGES) await it.visit(path)
  await it.visit(`/sites/${site.id}/words`)
  await it.page.getByRole('textbox', { name: 'Instructions' }).fill(INSTRUCTIONS)
  await it.page.getByRole('button', { name: /^Save/ }).first().click()
  await it.page.getByText('Instructions saved.').waitFor()
  for (const tab of ['access', 'blocks', 'firewall', 'definition', 'traffic'])
    await it.visit(`/sites/${site.id}/${tab}`)
  await it.page.reload()

  const engine = createEngine([maintainedRules(), ownRules()])
  const hits: string[] = []
  for (const request of sent) {
    const result = await inspect(engine, await received(request))
    const [first] = result.hits
    if (first)
      hits.push(
        `${request.method()} ${request.url()}: ${first.rule} in ${first.part} ${first.parameter}: ${first.excerpt}`,
      )
  }
  context.diagnostic(`${hits.length} of ${sent.length} requests hit`)
  assert.ok(sent.length >= REQUESTS_MIN, `${sent.length} requests`)
  assert.ok(hits.length / sent.length <= HIT_SHARE_MAX, hits.join('\n'))
})

/** The request as a gate in front of the application receives it. */
async function received(request: Request): Promise<TestRequest> {
  const { pathname, search } = new URL(request.url())
  const headers = await request.allHeaders()
  return {
    head: { method: request.method(), target: pathname + search, rawHeaders: Object.entries(headers).flat() },
    body: request.postDataBuffer() ?? Buffer.alloc(0),
  }
}
