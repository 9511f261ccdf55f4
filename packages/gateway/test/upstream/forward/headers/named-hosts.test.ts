/** Answers that lead a browser out of the gate: what of them is in the record, and what origins can make of that. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { hostsNamedBy } from '../../../../src/upstream/forward/headers/named-hosts.ts'
import { startRawOrigin } from '../../../support/raw-origin.ts'
import { GATE_HOST, HOST, request, site, startTestDataPlane } from '../../../support/test-data-plane.ts'

const answerOf = (...lines: readonly string[]): string =>
  ['HTTP/1.1 302 Found', 'Content-Length: 0', ...lines, '', ''].join('\r\n')

/** A gate whose origin answers what it is told last, and the record of one request to it. */
async function startGate(context: TestContext, originHost = 'shop.example') {
  let answer = ''
  const origin = await startRawOrigin(context, (socket) => socket.write(answer))
  const gate = await startTestDataPlane(context, origin.port)
  gate.snapshots.putSite(site(origin.port, { id: 'site-2', gatedName: 'other.gate.localhost' }))
  gate.snapshots.putSite(
    site(origin.port, { id: 'site-3', gatedName: 'foreign.gate.localhost', orgId: 'org-2' }),
  )
  const leadsOf = async (...lines: readonly string[]): Promise<readonly string[]> => {
    answer = answerOf(...lines.map((line) => line.replaceAll(originHost, `127.0.0.1:${origin.port}`)))
    const { length } = gate.recorder.events
    const { text } = await gate.send('GET /')
    assert.match(text, /^HTTP\/1\.1 302/)
    return (await gate.recorder.waitFor(length + 1)).at(-1)?.leadsTo ?? []
  }
  const sendOf = async (...lines: readonly string[]): Promise<string> => {
    answer = answerOf(...lines.map((line) => line.replaceAll(originHost, `127.0.0.1:${origin.port}`)))
    return (await gate.send('GET /')).text
  }
  return { gate, origin, leadsOf, sendOf }
}

test('each header that leads a browser out of the gate is recorded with its host', async (context) => {
  const { leadsOf } = await startGate(context)
  assert.deepEqual(await leadsOf('Location: https://API.Example.com/token?secret=1'), ['api.example.com'])
  assert.deepEqual(await leadsOf('location: http://u:p@api.example.com:8080/'), ['api.example.com:8080'])
  assert.deepEqual(await leadsOf('Content-Location: //api.example.com:443/'), ['api.example.com:443'])
  assert.deepEqual(await leadsOf('Refresh: 0; url="https://api.example.com/"'), ['api.example.com'])
  assert.deepEqual(
    await leadsOf(
      'Link: <https://a.example/>; rel=preload, <https://b.example>; rel=preconnect',
      'Link: </c>',
    ),
    ['a.example', 'b.example'],
  )
})

test('as browsers read it, whatever it looks like', async (context) => {
  const { leadsOf } = await startGate(context)
  const disguised = [
    '\\\\api.example.com/',
    '/\\api.example.com',
    '/\t/api.example.com',
    'https:api.example.com',
    'https:/\\/api.example.com',
    'hTTps:////api.example.com/',
    'https://%61pi.example.com/',
    'https://api。example.com/',
  ]
  for (const value of disguised)
    assert.deepEqual(await leadsOf(`Location: ${value}`), ['api.example.com'], value)
  assert.deepEqual(await leadsOf('Location: https://[2001:DB8::0:1]:444/'), ['[2001:db8::1]:444'])
  assert.deepEqual(await leadsOf('Location: https://0x7f.1/'), ['127.0.0.1'])
})

test('what stays behind the gate, and what leads nowhere, is not', async (context) => {
  const { leadsOf } = await startGate(context)
  const staying = [
    '/orders?next=https://api.example.com/',
    'orders',
    '?x',
    '#x',
    '',
    'http:orders',
    'https://shop.example/',
    '//shop.example/',
    `https://${HOST}/`,
    `http://${HOST.toUpperCase()}:1/`,
    `https://${HOST}./`,
    'https://other.gate.localhost/',
    `https://${GATE_HOST}/sites`,
    'mailto:ada@example.org',
    'app://callback',
    'javascript:alert(1)',
    'https://',
    'https://a b/',
    'https://%zz/',
  ]
  for (const value of staying) assert.deepEqual(await leadsOf(`Location: ${value}`), [], value)
  // Whose it is makes the difference.
  assert.deepEqual(await leadsOf('Location: https://foreign.gate.localhost/'), ['foreign.gate.localhost'])
  // It says who may read the answer.
  assert.deepEqual(await leadsOf('Access-Control-Allow-Origin: https://api.example.com'), [])
})

test('the origin by its own name becomes the gated one in Refresh and Link, too', async (context) => {
  const { sendOf, gate } = await startGate(context)
  const text = await sendOf(
    'Refresh: 3; url=https://shop.example/a',
    'Link: <http://shop.example/b>; rel=next, <https://api.example.com/>; rel="https://shop.example/"',
  )
  assert.ok(text.includes(`\r\nRefresh: 3; url=http://${HOST}/a\r\n`), text)
  assert.ok(
    text.includes(`\r\nLink: <http://${HOST}/b>; rel=next, <https://api.example.com/>; rel="https://`),
    text,
  )
  assert.deepEqual((await gate.recorder.waitFor(1))[0]?.leadsTo, ['api.example.com'])
})

test('hints before an answer count with it', async (context) => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nLink: <https://cdn.example.com>; rel=preconnect\r\n\r\n'
  const origin = await startRawOrigin(context, (socket) =>
    socket.write(hints + answerOf('Location: https://api.example.com/')),
  )
  const { send, recorder } = await startTestDataPlane(context, origin.port)
  await send('GET /')
  assert.deepEqual((await recorder.waitFor(1))[0]?.leadsTo, ['cdn.example.com', 'api.example.com'])
})

test('a thousand hosts are a thousand records, and a crowd in one answer is cut', async (context) => {
  let count = 0
  const origin = await startRawOrigin(context, (socket) =>
    socket.write(answerOf(`Location: https://host-${count++}.example/`)),
  )
  const { dataPlane, recorder } = await startTestDataPlane(context, origin.port)
  const requests = 1_000
  const socket = connect(dataPlane.http.port, '127.0.0.1')
  context.after(() => socket.destroy())
  socket.on('data', () => {})
  for (let sent = 0; sent < requests; sent += 100) {
    socket.write(request('GET /').repeat(100))
    await recorder.waitFor(sent + 100)
  }
  const hosts = new Set(recorder.events.flatMap(({ leadsTo }) => leadsTo))
  assert.equal(recorder.events.length, requests)
  assert.equal(hosts.size, requests)
  const crowd = Array.from({ length: 1_000 }, (_url, index) => `https://${index}.host.example/`)
  assert.equal(hostsNamedBy(crowd, 'https://app.gate.localhost').length, 16)
  const [long = ''] = hostsNamedBy([`https://${'a'.repeat(60_000)}.example/`], 'https://app.gate.localhost')
  assert.ok(long.length <= 261)
})
