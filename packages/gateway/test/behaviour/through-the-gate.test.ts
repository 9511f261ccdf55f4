/** Scanners with a browser's user agent, and browsers, through the data plane by real sockets: what their records say. */
import assert from 'node:assert/strict'
import { Agent, createServer, request as httpRequest } from 'node:http'
import { type TestContext, test } from 'node:test'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { BOB, BOB_KEY, HOST, KEY, startTestDataPlane, type TestGate } from '../support/test-data-plane.ts'

const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36'

/** A shop with some pages, each with a picture that is not there. */
async function startShop(context: TestContext): Promise<number> {
  const pages = new Set(['/', '/products', '/about'])
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://shop')
    response.writeHead(pages.has(pathname) ? 200 : 404, { 'content-type': 'text/html' }).end('<p>shop</p>')
  })
  return (await listenForTest(context, server)).port
}

async function startGate(context: TestContext): Promise<TestGate> {
  const gate = await startTestDataPlane(context, await startShop(context), {
    site: { firewall: { mode: 'observe', level: 'balanced', overrides: [], exclusions: [] } },
  })
  gate.snapshots.putResearcher(BOB)
  return gate
}

/** Asks one after the other on one connection, in the way of a browser's navigation. */
async function askAll(
  gate: TestGate,
  targets: readonly string[],
  given: { key?: string; more?: string[]; language?: string[] } = {},
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = [
    ...['Host', HOST, 'Sallyport-Key', given.key ?? KEY, 'User-Agent', CHROME],
    ...['Accept', 'text/html,application/xhtml+xml,*/*;q=0.8'],
    ...(given.more ?? []),
    ...['Accept-Encoding', 'gzip'],
    ...(given.language ?? ['Accept-Language', 'en-GB,en']),
  ]
  for (const path of targets)
    await new Promise<void>((resolve, reject) => {
      httpRequest(
        { ...{ host: '127.0.0.1', port: gate.port, path, agent, headers, setHost: false } },
        (answer) => {
          answer.resume().on('end', resolve)
        },
      )
        .on('error', reject)
        .end()
    })
  agent.destroy()
}

const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `/word-${index}/`)

test('a wordlist under the name of a browser is a scanner, and the record says why', async (context) => {
  const gate = await startGate(context)
  await askAll(gate, words(150), { language: [] })
  const events = await gate.recorder.waitFor(150)
  assert.ok((events[0]?.scannerPercent ?? 100) < 10)
  const last = events.at(-1)
  assert.equal(last?.tool, '')
  // However slowly they come: what is not there, and what is missing, is no matter of a rate.
  assert.ok((last?.scannerPercent ?? 0) >= 80, `${last?.scannerPercent}`)
  assert.match(last?.scannerReason ?? '', /mostly what is not there.*lacks headers of its browser/)
  // The origin was asked all the same: it is evidence, and refuses nothing.
  assert.ok(events.every(({ outcome, status }) => outcome === 'origin' && status === 404))
})

test('another researcher beside it is none, nor is a stranger made one', async (context) => {
  const gate = await startGate(context)
  await askAll(gate, words(150))
  await askAll(gate, ['/', '/products', '/about'], { key: BOB_KEY })
  await askAll(gate, ['/'], { key: 'rk_live_nobody' })
  const events = await gate.recorder.waitFor(154)
  const others = events.filter(({ researcherId }) => researcherId !== 'researcher-1')
  assert.equal(others.length, 4)
  assert.ok(others.every(({ scannerPercent, scannerReason }) => scannerPercent === 0 && scannerReason === ''))
})

test('a page with forty pictures, some of which are not there, and a page that polls, are none', async (context) => {
  const gate = await startGate(context)
  const referer = ['Referer', `http://${HOST}/products`]
  const part = [
    ...referer,
    'Sec-Fetch-Site',
    'same-origin',
    'Sec-Fetch-Mode',
    'no-cors',
    'Sec-Fetch-Dest',
    'image',
  ]
  const call = [
    ...referer,
    'Sec-Fetch-Site',
    'same-origin',
    'Sec-Fetch-Mode',
    'cors',
    'Sec-Fetch-Dest',
    'empty',
  ]
  await askAll(gate, ['/', '/products'])
  await askAll(gate, [...Array.from({ length: 25 }, () => '/about'), ...words(15)], { more: part })
  await askAll(
    gate,
    Array.from({ length: 100 }, () => '/api/news'),
    { more: call },
  )
  const events = await gate.recorder.waitFor(142)
  assert.ok(Math.max(...events.map(({ scannerPercent }) => scannerPercent)) < 10)
})

test('what the firewall sees counts, and a tool that names itself is sure', async (context) => {
  const gate = await startGate(context)
  const attacks = Array.from(
    { length: 40 },
    (_, index) => `/products?id=${index}%27%20UNION%20SELECT%20password%20FROM%20users--%20`,
  )
  await askAll(gate, attacks)
  const [last] = (await gate.recorder.waitFor(40)).slice(-1)
  assert.ok(last?.hits.length, 'the firewall saw nothing')
  assert.match(last.scannerReason, /payload after payload/)
  await gate.send('GET /', 'User-Agent: sqlmap/1.8', 'Connection: close')
  const [named] = (await gate.recorder.waitFor(41)).slice(-1)
  assert.deepEqual(
    [named?.tool, named?.scannerPercent, named?.scannerReason],
    ['sqlmap', 100, 'names itself'],
  )
})
