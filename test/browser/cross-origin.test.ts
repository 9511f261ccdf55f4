/**
 * A page of one gated site asks another one, as single-page applications ask the host of their API: with a preflight, that the
 * browser sends without a credential. Each application knows the other by its own name alone.
 */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/installation.ts'
import { type LoopbackServer, listenOnLoopback } from '../support/loopback.ts'
import { createSite, untilDeployed } from '../support/site.ts'
import { type Browser, startBrowser, withoutChromium } from './support/chromium.ts'
import { acceptInvitation, enter, type Gate, startGate } from './support/gate.ts'

/** An API that lets pages of one web origin in, and says what it saw. */
async function startApi(allowed: () => string): Promise<LoopbackServer & { readonly seen: string[] }> {
  const seen: string[] = []
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { origin = '' } = request.headers
    seen.push(`${request.method} ${origin}`)
    if (origin === allowed()) {
      response.setHeader('access-control-allow-origin', origin)
      response.setHeader('access-control-allow-credentials', 'true')
      response.setHeader('access-control-allow-methods', 'PUT')
      response.setHeader('access-control-allow-headers', 'x-token')
    }
    response.end(request.method === 'OPTIONS' ? '' : 'an answer')
  }
  return { ...(await listenOnLoopback(createServer(answer))), seen }
}

test('a page asks another site of its organization', { skip: withoutChromium }, async (t) => {
  let gate: Gate
  let browser: Browser
  let api: Awaited<ReturnType<typeof startApi>>
  let url: string
  let siteId: string
  let page: Page
  before(async () => {
    gate = await startGate()
    browser = await startBrowser()
    // Both applications lie on one machine, so the pages' own name is the origin's address.
    api = await startApi(() => gate.origin.url)
    const { installation, shop } = gate
    const site = await createSite(installation, 'backend.gate.localhost', api.url)
    siteId = site.id
    url = shop.url.replace('shop.', 'backend.')
    page = await browser.open()
    const mira = await gate.invite('Mira')
    await acceptInvitation(page, mira.invitation)
    await enter(page, `${url}/`)
    await enter(page, `${shop.url}/`)
  })
  after(async () => {
    await browser.close()
    await api.close()
    await gate.close()
  })

  const setPreflights = async (preflights: string): Promise<void> => {
    const body = { pathConventions: [], passesKnownHeadersOnly: false, preflights }
    const { status } = await gate.installation.api('PUT', `/api/Sites/${siteId}/forwarding`, body)
    assert.equal(status, 200)
    await untilDeployed(gate.installation, siteId)
    api.seen.length = 0
  }
  /** What the page reads of the answer to a request that needs a preflight; each of another URL, because browsers remember. */
  let asked = 0
  const ask = (from: Page): Promise<string> =>
    from.evaluate(
      (to) =>
        fetch(to, { method: 'PUT', headers: { 'x-token': '1' }, credentials: 'include' }).then(
          (answer) => answer.text(),
          () => 'refused by the browser',
        ),
      `${url}/orders/${asked++}`,
    )

  await t.test('and is refused, unless that site says otherwise', async () => {
    await setPreflights('refuse')
    assert.equal(await ask(page), 'refused by the browser')
    assert.deepEqual(api.seen, [])
  })

  await t.test('and reads the answer where the gate answers preflights', async () => {
    await setPreflights('answer')
    assert.equal(await ask(page), 'an answer')
    assert.deepEqual(api.seen, [`PUT ${gate.origin.url}`])
  })

  await t.test('and reads the answer where the origin allows it', async () => {
    await setPreflights('forward')
    assert.equal(await ask(page), 'an answer')
    assert.deepEqual(api.seen, [`OPTIONS ${gate.origin.url}`, `PUT ${gate.origin.url}`])
  })

  await t.test('and both requests are in the record', async () => {
    const outcomes = await eventually(async () => {
      const { body } = await gate.installation.api<{ items: { method: string; researcherId: string }[] }>(
        'GET',
        `/api/Analytics/requests?site=${siteId}&path=/orders/${asked - 1}`,
      )
      return body.items.length === 2 && body.items
    })
    assert.deepEqual(outcomes.map(({ method, researcherId }) => [method, researcherId !== '']).sort(), [
      ['OPTIONS', false],
      ['PUT', true],
    ])
  })

  await t.test('but a page of another organization does not, however the site is set', async () => {
    // In the browser in which the researcher is signed in at the other site.
    const other = await browser.open()
    await other.route(`${gate.bank.url}/**`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>Hello</p>' }),
    )
    await other.goto(`${gate.bank.url}/`)
    for (const preflights of ['answer', 'forward']) {
      await setPreflights(preflights)
      assert.equal(await ask(other), 'refused by the browser')
      assert.deepEqual(api.seen, [])
    }
  })
})
