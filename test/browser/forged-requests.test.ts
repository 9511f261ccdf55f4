/**
 * Requests that a page of somebody else makes a researcher's browser send to the gate: images, forms, beacons, blind
 * fetches. Gated hosts are same-site with the gate's own host, so its cookie comes along with most of them. None acts.
 */
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { startBrowser, withoutChromium } from './support/chromium.ts'
import { acceptInvitation } from './support/gate.ts'
import { openVictim, type Victim } from './support/victim.ts'

/** How long something that must not happen is given to happen. */
const PATIENCE_MS = 150

interface Forged {
  readonly method: string
  readonly url: string
  readonly body: string
}

test('requests that are forged in a researcher’s browser', { skip: withoutChromium }, async (t) => {
  let it: Victim
  let forged: readonly Forged[]
  /** Pages that forge: of a gated host, same-site with the gate, and of another site altogether. */
  let evils: readonly Page[]
  before(async () => {
    it = await openVictim()
    forged = forgedRequests(it)
    const elsewhere = await it.browser.open()
    await elsewhere.goto(it.gate.origin.url)
    evils = [it.hostile, elsewhere]
  })
  after(() => it.close())

  for (const [what, chosen] of [
    ['reveals no credentials', ({ url }: Forged) => url.endsWith('/credentials')],
    ['signs nobody in', ({ url }: Forged) => !url.endsWith('/credentials')],
  ] as const)
    await t.test(`an image, a script or a frame ${what}`, async () => {
      for (const evil of evils) {
        await embed(evil, forged.filter(chosen))
        await it.assertStillMira()
      }
    })

  await t.test('a blind fetch and a beacon', async () => {
    for (const evil of evils) {
      await evil.evaluate(async (all) => {
        for (const { method, url, body } of all) {
          for (const mode of ['no-cors', 'cors'] as const)
            for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json'])
              await fetch(url, {
                method,
                mode,
                credentials: 'include',
                headers: { 'content-type': type },
                ...(method === 'POST' ? { body } : {}),
              }).catch(() => undefined)
          navigator.sendBeacon(url, body)
        }
      }, forged)
      await sleep(PATIENCE_MS)
      await it.assertStillMira()
    }
  })

  await t.test('a form whose body reads as JSON', async () => {
    for (const evil of evils)
      for (const { url, body } of forged.filter(({ method }) => method === 'POST')) {
        const page = await it.browser.open()
        await page.goto(evil.url())
        await page.evaluate(
          ([action, json]) => {
            const form = document.createElement('form')
            form.method = 'post'
            form.action = action
            form.enctype = 'text/plain'
            const field = document.createElement('input')
            field.name = `${json.slice(0, -1)}${json === '{}' ? '' : ','}"x":"`
            field.value = '"}'
            form.append(field)
            document.body.append(form)
            form.submit()
          },
          [url, body] as const,
        )
        await sleep(PATIENCE_MS)
        await page.close()
      }
    await it.assertStillMira()
  })

  await t.test('and the invitation that the attacker offered was not used up', async () => {
    const other = await startBrowser()
    await acceptInvitation(await other.open(), it.mallory.invitation)
    await other.close()
  })
})

/** Puts each into the page as whatever loads by itself. */
const embed = (page: Page, forged: readonly Forged[]): Promise<unknown> =>
  page.evaluate(
    (urls) =>
      Promise.all(
        urls.flatMap((url) =>
          ['img', 'script', 'iframe'].map((kind) => {
            const element = document.createElement(kind)
            const done = new Promise((resolve) => {
              element.onload = resolve
              element.onerror = resolve
            })
            element.setAttribute('src', url)
            document.body.append(element)
            return done
          }),
        ),
      ),
    forged.map(({ url }) => url),
  )

/** What would sign the browser in as Mallory, sign it out, fetch a code for it, or reveal credentials in its name. */
function forgedRequests({ gate, mallory }: Victim): readonly Forged[] {
  const link = new URL(mallory.invitation)
  const token = new URLSearchParams(link.hash.slice(1)).get('token') ?? link.searchParams.get('token') ?? ''
  const post = (path: string, body: object): Forged => ({
    method: 'POST',
    url: gate.url + path,
    body: JSON.stringify(body),
  })
  const get = (url: string): Forged => ({ method: 'GET', url, body: '' })
  const reveal = `/api/sites/${gate.shop.id}/credentials`
  return [
    post('/api/session', { key: mallory.key, replace: true }),
    post('/api/invitations', { token, attempt: 'A'.repeat(22), replace: true }),
    post('/api/codes', { host: gate.wiki.host, nonce: 'A'.repeat(43), to: '/', replace: true }),
    post(reveal, {}),
    { method: 'DELETE', url: `${gate.url}/api/session`, body: '' },
    get(gate.url + reveal),
    get(`${gate.url}/invitation?token=${token}`),
    get(`${gate.shop.url}/.sallyport/invite?token=${token}`),
    get(`${gate.shop.url}/.sallyport/api/credentials`),
    get(`${gate.shop.url}/.sallyport/enter?code=${token}`),
  ]
}
