/** What an origin's headers must not do to the gate's own session, nor to other sites. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRawOrigin } from '../../../support/raw-origin.ts'
import { HOST, startTestDataPlane } from '../../../support/test-data-plane.ts'

const SENT = [
  'Clear-Site-Data: "cache", "cookies", "storage"',
  'clear-site-data: "cookies"',
  'Clear-Site-Data: "*"',
  'Clear-Site-Data: "storage"',
  'Set-Cookie: __Host-Http-sallyport=forged; Path=/; Secure; HttpOnly',
  'Set-Cookie: __Host-Http-sallyport-nonce=forged; Path=/; Secure; HttpOnly',
  'Set-Cookie:  = __Host-Http-sallyport=forged; Path=/; Secure',
  'Set-Cookie: __host-http-sallyport=forged; Path=/; Secure',
  'Set-Cookie: __Host-sallyport=forged; Path=/; Secure',
  'Set-Cookie: cart=1',
]

const PASSED = [
  'Clear-Site-Data: "cache", "storage"',
  'Clear-Site-Data: "cache", "clientHints", "storage", "executionContexts", "prefetchCache", "prerenderCache"',
  'Clear-Site-Data: "storage"',
  'Set-Cookie: cart=1',
]

test('an origin can neither end nor forge a session of the gate', async (context) => {
  const head = ['HTTP/1.1 200 OK', 'Content-Length: 2', ...SENT, '', 'ok'].join('\r\n')
  const origin = await startRawOrigin(context, (socket) => socket.write(head))
  const { send } = await startTestDataPlane(context, origin.port)
  const { text } = await send('GET /')
  const lines = text.split('\r\n').filter((line) => /^(?:clear-site-data|set-cookie):/i.test(line))
  assert.deepEqual(lines, PASSED)
})

test('a cookie comes back to the gated name alone, also where its domain covers others of the gate', async (context) => {
  const domains = ['gate.localhost', '.Gate.localhost', HOST, 'shop.example', '.example', 'elsewhere.example']
  const lines = domains.map((domain) => `Set-Cookie: a=1; Domain=${domain}`)
  const head = ['HTTP/1.1 200 OK', 'Content-Length: 2', ...lines, '', 'ok'].join('\r\n')
  const origin = await startRawOrigin(context, (socket) => socket.write(head))
  const gated = `Set-Cookie: a=1; Domain=${HOST}`
  const { send } = await startTestDataPlane(context, origin.port)
  const { text } = await send('GET /')
  assert.deepEqual(text.match(/^Set-Cookie:.*$/gim), [gated, gated, gated, ...lines.slice(3)])
})

test('an origin has the browser neither report what it asks the gate for, nor go past it', async (context) => {
  const kept = [
    'Reporting-Endpoints: own="https://app.gate.localhost/reports"',
    'Service-Worker-Allowed: /',
    'Content-Security-Policy: report-uri /reports',
  ]
  const dropped = [
    'NEL: {"report_to":"own","max_age":2592000,"include_subdomains":true,"success_fraction":1}',
    'nel: {"report_to":"own","max_age":1}',
    'Report-To: {"group":"own","max_age":2592000,"endpoints":[{"url":"https://evil.example/"}]}',
    'Alt-Svc: h2="evil.example:443"',
  ]
  const head = ['HTTP/1.1 200 OK', 'Content-Length: 2', ...dropped, ...kept, '', 'ok'].join('\r\n')
  const origin = await startRawOrigin(context, (socket) => socket.write(head))
  const { send } = await startTestDataPlane(context, origin.port)
  const { text } = await send('GET /')
  assert.deepEqual(text.match(/^(?:nel|report|service|alt-svc|content-sec)[^:]*:.*$/gim), kept)
})

test('what a page may do and where it reports to is by the gated name, as its addresses are', async (context) => {
  const naming = (name: string): readonly string[] => [
    `Reporting-Endpoints: own="${name}/reports", theirs="https://reports.example/"`,
    `Speculation-Rules: "${name}/rules.json", "/rules.json"`,
    `Permissions-Policy: camera=(self "${name}"), payment=("https://pay.example"), usb=()`,
    `Permissions-Policy-Report-Only: camera=("${name}")`,
    `Timing-Allow-Origin: ${name}, https://monitor.example`,
    'timing-allow-origin: *',
  ]
  const origin = await startRawOrigin(context, (socket) => {
    const lines = naming(`http://127.0.0.1:${origin.port}`)
    socket.write(['HTTP/1.1 200 OK', 'Content-Length: 2', ...lines, '', 'ok'].join('\r\n'))
  })
  const { send } = await startTestDataPlane(context, origin.port)
  const { text } = await send('GET /')
  assert.deepEqual(
    text.match(/^(?:reporting|speculation|permissions|timing)-[^:]*:.*$/gim),
    naming(`http://${HOST}`),
  )
})

test('where scripts, tools and clients are led to is by the gated name, and recorded', async (context) => {
  const naming = (name: string): readonly string[] => [
    `SourceMap: ${name}/app.js.map`,
    `X-SourceMap: ${name}/app.js.map`,
    `HX-Location: {"path":"${name}/page","target":"#main"}`,
    `HX-Location: ${name}/page`,
    `HX-Push-Url: ${name}/page`,
    `HX-Redirect: ${name}/page`,
    `HX-Replace-Url: false`,
    `Turbolinks-Location: ${name}/page`,
    `X-Inertia-Location: ${name}/page`,
    `Operation-Location: ${name}/operations/1`,
    `Azure-AsyncOperation: ${name}/operations/1`,
    `Link: <${name}/a.css>; rel=preload; anchor="${name}/page"`,
    'Link: </a>; rel=author; anchor="https://about.example/"',
    'HX-Redirect: https://elsewhere.example/',
  ]
  const origin = await startRawOrigin(context, (socket) => {
    const lines = naming(`http://127.0.0.1:${origin.port}`)
    socket.write(['HTTP/1.1 200 OK', 'Content-Length: 2', ...lines, '', 'ok'].join('\r\n'))
  })
  const { send, recorder } = await startTestDataPlane(context, origin.port)
  const { text } = await send('GET /')
  assert.deepEqual(
    text.match(/^(?:(?:x-)?sourcemap|hx-|turbo|x-in|op|az|link)[^:]*:.*$/gim),
    naming(`http://${HOST}`),
  )
  const [event] = await recorder.waitFor(1)
  assert.deepEqual(event?.leadsTo, ['elsewhere.example'])
})

test('where a client gets a token is by the gated name; what a digest is made of stays', async (context) => {
  const naming = (name: string): readonly string[] => [
    `WWW-Authenticate: Bearer realm="${name}/jwt/auth",service="registry",scope="repository:a:pull"`,
    `www-authenticate: bearer resource_metadata="${name}/.well-known/oauth-protected-resource"`,
    'WWW-Authenticate: Bearer realm="https://auth.example/token"',
  ]
  const digest = 'WWW-Authenticate: Digest realm="http://127.0.0.1", nonce="a"'
  const origin = await startRawOrigin(context, (socket) => {
    const lines = [...naming(`http://127.0.0.1:${origin.port}`), digest]
    socket.write(['HTTP/1.1 401 Unauthorized', 'Content-Length: 2', ...lines, '', 'no'].join('\r\n'))
  })
  const { send, recorder } = await startTestDataPlane(context, origin.port)
  const { text } = await send('GET /v2/')
  assert.deepEqual(text.match(/^www-authenticate:.*$/gim), [...naming(`http://${HOST}`), digest])
  const [event] = await recorder.waitFor(1)
  assert.deepEqual(event?.leadsTo, ['auth.example'])
})
