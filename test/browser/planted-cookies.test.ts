/**
 * Cookies that a hostile application plants: by a script, by its answers, for its own host, for the parent domain that it
 * shares with the gate. The browser keeps what it may not set, and the gate believes nothing of the rest.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startBrowser, withoutChromium } from './support/chromium.ts'
import { acceptInvitation, enter } from './support/gate.ts'
import { PAGE, plantCookies } from './support/hostile-origin.ts'
import { openVictim, type Victim } from './support/victim.ts'

const NAMES = [
  '__Host-Http-sallyport',
  '__Host-Http-sallyport-gate',
  '__Host-Http-sallyport-nonce',
  '__Host-sallyport',
]
const PLACES = [
  '; Path=/',
  ...['/', '/api', '/.sallyport'].map((path) => `; Domain=gate.localhost; Path=${path}`),
]
/** Spellings that came to pass for a prefixed name somewhere: without a name, behind blanks that some servers trim. */
const spellings = (name: string, value: string): readonly string[] => [
  `${name}=${value}`,
  `=${name}=${value}`,
  ` ${name} =${value}`,
  `\u2000${name}=${value}`,
  `\u00a0${name}=${value}`,
  `${name.toLowerCase()}=${value}`,
]

test('cookies that a hostile application plants', { skip: withoutChromium }, async (t) => {
  let it: Victim
  /** Values of Mallory's own valid sessions. */
  let values: readonly string[]
  before(async () => {
    it = await openVictim()
    const other = await startBrowser()
    const page = await other.open()
    await acceptInvitation(page, it.mallory.invitation)
    await enter(page, `${it.gate.shop.url}/`)
    const cookies = await other.context.cookies([it.gate.url, it.gate.shop.url])
    values = ['planted', ...cookies.map(({ value }) => value)]
    await other.close()
    assert.ok(values.length > 1)
  })
  after(() => it.close())

  await t.test('by a script', async () => {
    const planted = NAMES.flatMap((name) =>
      values.flatMap((value) =>
        spellings(name, value).flatMap((pair) =>
          PLACES.flatMap((place) => [pair + place, `${pair}${place}; Secure; SameSite=None`]),
        ),
      ),
    )
    await plantCookies(it.hostile, planted)
    await it.assertStillMira()
    await enter(it.hostile, `${it.gate.wiki.url}/`)
    await enter(it.hostile, `${it.gate.shop.url}/`)
    await it.assertStillMira()
  })

  await t.test('by an answer of its origin, which may set more than a script', async () => {
    const headers = NAMES.flatMap((name) =>
      values.flatMap((value) =>
        spellings(name, value)
          .filter((pair) => !/[^ -~]/.test(pair))
          .flatMap((pair) => PLACES.map((place) => `${pair}${place}; Secure; HttpOnly; SameSite=None`)),
      ),
    )
    it.gate.origin.serve('/planting', { type: 'text/html', body: PAGE, headers: { 'set-cookie': headers } })
    await enter(it.hostile, `${it.gate.shop.url}/planting`)
    await it.assertStillMira()
    await enter(it.hostile, `${it.gate.wiki.url}/`)
    await enter(it.hostile, `${it.gate.shop.url}/`)
    await it.assertStillMira()
  })

  await t.test('none of them reaches the origin under a name of the gate', () => {
    const names = it.gate.origin.seen.flatMap(({ headers }) =>
      (headers.cookie ?? '').split(';').map((pair) => pair.split('=', 1)[0] ?? ''),
    )
    assert.deepEqual(
      names.filter((name) => NAMES.includes(name)),
      [],
    )
  })

  await t.test(
    'a heap of them at the parent domain shuts the gate’s host until they are deleted',
    async () => {
      await it.browser.context.clearCookies({ domain: '.gate.localhost' })
      await plantCookies(
        it.hostile,
        Array.from(
          { length: 40 },
          (_, index) => `heap${index}=${'x'.repeat(3_000)}; Domain=gate.localhost; Path=/; Max-Age=600`,
        ),
      )
      const page = await it.browser.open()
      assert.equal((await page.goto(`${it.gate.url}/`))?.status(), 431)
      await page.close()
      await it.browser.context.clearCookies({ name: /^heap/ })
      await it.assertStillMira()
    },
  )
})
