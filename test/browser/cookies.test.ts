/** What a real browser keeps of an origin's cookies, and to whom it would send them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRawOrigin } from '../../packages/gateway/test/support/raw-origin.ts'
import { HOST, KEY, startTestDataPlane } from '../../packages/gateway/test/support/test-data-plane.ts'
import { startBrowser, withoutChromium } from './support/chromium.ts'

/** Ways to say the parent that all gated names share. */
const PARENT = 'gate.localhost'
const DOMAINS = [
  `Domain=${PARENT}`,
  `domain=.${PARENT}`,
  `DOMAIN = .${PARENT}`,
  `Domain=..${PARENT}`,
  `Domain=${PARENT}.`,
  `Domain=${PARENT}:80`,
  `Domain="${PARENT}"`,
  `Domain=\t${PARENT}\t`,
  `\tDomain\t=${PARENT}`,
  `Domain=gate%2elocalhost`,
  `Domain=%67ate.localhost`,
  'Domain=\xef\xbd\x87ate.localhost',
  'Domain=gate\xe3\x80\x82localhost',
  'Domain=ga\xc2\xadte.localhost',
  `Domain=\xa0${PARENT}`,
  `Domain=elsewhere.test; Domain=${PARENT}`,
  `Domain=${PARENT}; Domain=`,
  `Domain=${PARENT}; Domain`,
  `Domain=; Domain=${PARENT}`,
  `Domain=localhost`,
]

test('a browser takes no cookie of an origin for another gated name, nor for one of the gate', {
  skip: withoutChromium,
}, async (context) => {
  const cookies = [
    ...DOMAINS.map((domain, index) => `c${index}=1; Path=/; ${domain}`),
    '__Host-Http-sallyport=forged; Path=/; Secure; HttpOnly',
    '__HOST-sallyport=forged; Path=/; Secure',
    '__Secure-sallyport-gate=forged; Path=/; Secure',
    '=__Host-sallyport=forged; Path=/',
    'own=1; Path=/',
  ]
  const lines = cookies.map((cookie) => `Set-Cookie: ${cookie}\r\n`).join('')
  const heads: string[] = []
  const origin = await startRawOrigin(context, (socket, head) => {
    heads.push(head)
    socket.write(
      Buffer.from(
        `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${lines}Content-Length: 4\r\n\r\n<p>a`,
        'latin1',
      ),
    )
  })
  const { port } = await startTestDataPlane(context, origin.port)
  const browser = await startBrowser()
  context.after(() => browser.close())
  const page = await browser.open()
  await page.setExtraHTTPHeaders({ 'sallyport-key': KEY })
  await page.goto(`http://${HOST}:${port}/`)

  const kept = await browser.context.cookies()
  const beyond = kept.filter(({ domain, name }) => domain.replace(/^\./, '') !== HOST && name !== '')
  assert.deepEqual(beyond, [])
  assert.deepEqual(await browser.context.cookies(`http://neighbour.${PARENT}:${port}/`), [])
  assert.deepEqual(
    kept.filter(({ name, value }) => /sallyport/i.test(name + value)),
    [],
  )
  const seen = await page.evaluate(() => document.cookie)
  assert.match(seen, /(?:^|; )own=1(?:;|$)/)
  assert.doesNotMatch(seen, /forged/)

  // What a page writes itself, the gate keeps from the origin.
  await page.evaluate(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: as a hostile page does it
    document.cookie = '__secure-sallyport=1; secure'
    // biome-ignore lint/suspicious/noDocumentCookie: as a hostile page does it
    document.cookie = 'mine=1'
  })
  await page.reload()
  const last = heads.filter((head) => head.startsWith('GET / ')).at(-1) ?? ''
  assert.match(last, /^cookie:.*\bmine=1/im)
  assert.doesNotMatch(last, /^cookie:.*sallyport/im)
})
