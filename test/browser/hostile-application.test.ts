/**
 * An application behind the gate that was taken over, in the browser of a researcher who tests it: what its scripts and its
 * windows can learn of the gate. Nothing.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { withoutChromium } from './support/chromium.ts'
import { openVictim, type Victim } from './support/victim.ts'

/** How long something that must not happen is given to happen. */
const PATIENCE_MS = 400
const API = ['me', 'scope', 'budget', 'requests', 'credentials', 'sites', 'session']
const GATED = ['', 'nonce', 'sign-in', 'enter', 'enter?code=x', 'invite?token=x']

test('a hostile application in a researcher’s browser', { skip: withoutChromium }, async (t) => {
  let it: Victim
  before(async () => {
    it = await openVictim()
  })
  after(() => it.close())

  const assertNoSecret = (said: unknown, what: string): void => {
    const text = JSON.stringify(said)
    for (const secret of [it.mira.email, it.mira.id, 'correct horse', '/a-path-of-mira', 'enter?code='])
      assert.equal(text.includes(secret), false, `${what}: ${text.slice(0, 500)}`)
  }

  await t.test('its script reads nothing of the gate', async () => {
    const { gate, hostile } = it
    const site = `${gate.url}/api/sites/${gate.shop.id}`
    const addresses = [
      ...API.map((name) => `/.sallyport/api/${name}`),
      ...GATED.map((path) => `/.sallyport/${path}`),
      ...API.flatMap((name) => [`${gate.url}/api/${name}`, `${site}/${name}`]),
      ...['/', '/sign-in', '/invitation', `/sites/${gate.shop.id}`].map((path) => gate.url + path),
    ]
    const read = await hostile.evaluate(
      (urls) =>
        Promise.all(
          urls.flatMap((url) =>
            ['GET', 'POST'].flatMap((method) =>
              (['cors', 'no-cors'] as const).map(async (mode) => {
                const answer = await fetch(url, { method, mode, credentials: 'include' }).catch(
                  () => undefined,
                )
                const headers = [...(answer?.headers ?? [])].join()
                return { url, method, text: headers + (await answer?.text().catch(() => '')) }
              }),
            ),
          ),
        ),
      addresses,
    )
    for (const one of read) assertNoSecret(one.text, `${one.method} ${one.url}`)
    const legible = read.filter(({ url, text }) => text !== '' && !url.startsWith('/.sallyport/'))
    assert.deepEqual(
      legible.filter(({ text }) => text !== 'undefined'),
      [],
      'an answer of the gate’s own host was readable',
    )
  })

  await t.test('its script scripts no page of the gate that it opens', async () => {
    const { gate, hostile } = it
    for (const url of [`${gate.shop.url}/.sallyport/`, `${gate.url}/`, `${gate.url}/sites/${gate.shop.id}`]) {
      const opening = hostile.context().waitForEvent('page')
      await hostile.evaluate((address) => {
        Object.assign(window, { opened: window.open(address, 'a-name') })
      }, url)
      const opened = await opening
      await opened.getByRole('heading', { level: 1 }).waitFor()
      const seen = await hostile.evaluate(() => {
        // Put there just before.
        const { opened } = window as unknown as { opened: Window }
        try {
          return { closed: opened.closed, frames: opened.length, text: opened.document.body.textContent }
        } catch {
          return { closed: opened.closed, frames: opened.length, text: '' }
        }
      })
      assert.deepEqual(seen, { closed: true, frames: 0, text: '' }, url)
      const held = await opened.evaluate(() => [window.opener, window.name])
      assert.deepEqual(held, [null, ''], url)
      await opened.close()
    }
  })

  await t.test('its page draws no page of the gate within itself', async () => {
    const { gate, hostile } = it
    const addresses = ['/', '/sign-in', '/invitation#token=x', `/sites/${gate.shop.id}`, '/api/me'].map(
      (path) => gate.url + path,
    )
    await hostile.evaluate(
      (urls) => {
        for (const url of urls)
          for (const kind of ['iframe', 'object', 'embed']) {
            const element = document.createElement(kind)
            element.setAttribute(kind === 'object' ? 'data' : 'src', url)
            document.body.append(element)
          }
      },
      [...addresses, `${gate.shop.url}/.sallyport/`],
    )
    await sleep(PATIENCE_MS)
    const inside = hostile.frames().filter((frame) => frame !== hostile.mainFrame())
    assert.ok(inside.length > 0)
    for (const frame of inside) {
      const text = await frame.evaluate(() => document.body?.textContent ?? '').catch(() => '')
      assert.equal(
        /Your sites|invitation|researchers|Your budget/.test(text),
        false,
        `${frame.url()}: ${text}`,
      )
    }
    await hostile.reload()
  })

  await t.test('its script reads nothing of the console', async () => {
    const { gate, hostile } = it
    const consoleUrl = gate.installation.controlUrl.replace('127.0.0.1', 'localhost')
    const read = await hostile.evaluate(
      (base) =>
        Promise.all(
          ['/console/', '/api/sites', '/api/Account/currentUser', '/.well-known/openid-configuration'].map(
            (path) =>
              fetch(base + path, { credentials: 'include' })
                .then((answer) => answer.text())
                .catch(() => ''),
          ),
        ),
      consoleUrl,
    )
    assert.deepEqual(read.slice(0, 3), ['', '', ''])
  })
})
