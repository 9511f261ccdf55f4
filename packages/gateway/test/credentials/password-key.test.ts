/** Keys as the password of HTTP Basic, over real sockets: where they count, where they do not, and who is asked for one. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { SiteConfig } from '@sallyport/contract'
import { startHttp2DataPlane } from '../support/http2/http2-client.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import { streamingOrigin, watch } from '../support/streams.ts'
import {
  GATE_HOST,
  HOST,
  hashOf,
  KEY,
  researcher,
  researcherKey,
  sendRaw,
  site,
  startTestDataPlane,
} from '../support/test-data-plane.ts'

const ADA_KEY = researcherKey(1)
const OTHER_KEY = researcherKey(2)
const base64 = (pair: string): string => Buffer.from(pair, 'latin1').toString('base64')
const basic = (user: string, password: string): string =>
  `Authorization: Basic ${base64(`${user}:${password}`)}`

async function openGate(context: TestContext, changes: Partial<SiteConfig> = {}) {
  const origin = await startRawOrigin(context)
  const gate = await startTestDataPlane(context, origin.port, {
    site: { acceptsKeyAsPassword: true, ...changes },
  })
  gate.snapshots.putResearcher(researcher({ keyHashes: [hashOf(KEY), hashOf(ADA_KEY)] }))
  return {
    ...gate,
    originPort: origin.port,
    received: () => origin.received.join(''),
    ask: (...lines: string[]) => askAt(gate.port, `Host: ${HOST}`, ...lines),
  }
}

const askAt = (port: number, ...lines: string[]) =>
  sendRaw(port, ['GET /x HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n'))

test('a key as a password enters where the site takes it, with any user name, and never goes on', async (context) => {
  const gate = await openGate(context)
  const answers = [
    basic('', ADA_KEY),
    basic('ada', ADA_KEY),
    basic('j\xf6rg \xc3\xa4', ADA_KEY),
    basic('x'.repeat(20_000), ADA_KEY),
    `aUTHORIZATION: bAsIc   ${base64(`ada:${ADA_KEY}`)}`,
    `Authorization: Basic ${base64(`ada:${ADA_KEY}`).replace(/=+$/, '')}`,
  ]
  for (const line of answers)
    assert.equal((await gate.ask(line, 'X-Kept: yes')).status, 200, line.slice(0, 80))
  assert.equal(gate.received().match(/x-kept: yes/gi)?.length, answers.length)
  assert.doesNotMatch(gate.received(), /^authorization/im)
  for (const event of await gate.recorder.waitFor(answers.length)) {
    assert.deepEqual(
      [event.researcherId, event.credential, event.credentialId],
      ['researcher-1', 'key', hashOf(ADA_KEY).slice(0, 12)],
    )
    assert.doesNotMatch(JSON.stringify(event), /rk_live_[0-9A-Za-z]/)
  }
})

test('where the site does not take it, it is no credential, and does not go on either', async (context) => {
  const gate = await openGate(context, { acceptsKeyAsPassword: false })
  const refused = await gate.ask(basic('ada', ADA_KEY))
  assert.equal(refused.status, 401)
  assert.match(refused.text, /unknown_credential/)
  assert.doesNotMatch(refused.text, /Basic/)
  assert.equal((await gate.ask(basic('ada', ADA_KEY), `Sallyport-Key: ${ADA_KEY}`)).status, 200)
  assert.doesNotMatch(gate.received(), /^authorization/im)
})

test("a sign-in of the origin's own goes on byte for byte, beside the key in its header", async (context) => {
  const gate = await openGate(context)
  const kept = [
    basic('admin', 'secret'),
    basic('admin', 'rk_live_short'),
    basic('admin', `rk_live_${'a'.repeat(99)}`),
    `Authorization: Basic ${base64('no colon')}`,
    'Authorization: Basic ???',
    `Authorization: Bearer ${'a'.repeat(3000)}`,
    'Authorization: Digest username="rk_live_x"',
  ]
  for (const line of kept) {
    assert.equal((await gate.ask(line, `Sallyport-Key: ${KEY}`)).status, 200)
    assert.ok(
      gate.received().endsWith('\r\n\r\n') && gate.received().includes(`${line}\r\n`),
      line.slice(0, 80),
    )
    const alone = await gate.ask(line)
    assert.equal(alone.status, 401)
    assert.match(alone.text, /no_credential/)
  }
  const two = await gate.ask(basic('a', 'b'), basic('c', 'd'), `Sallyport-Key: ${KEY}`)
  assert.equal(two.status, 200)
  assert.ok(gate.received().includes(`${basic('a', 'b')}\r\n${basic('c', 'd')}\r\n`))
})

test('whatever has the form of a key stays here, however it is written, and only a password counts', async (context) => {
  const gate = await openGate(context)
  const wrong = `${ADA_KEY.slice(0, -1)}${ADA_KEY.endsWith('0') ? '1' : '0'}`
  const pair = base64(`ada:${ADA_KEY}`)
  const lines = [
    basic('ada', wrong),
    basic('ada', ADA_KEY.slice(0, -4)),
    basic('ada', `${ADA_KEY}\n`),
    basic('ada', ` ${ADA_KEY}`),
    basic('ada', `x:${ADA_KEY}`),
    basic(ADA_KEY, ''),
    basic(ADA_KEY, 'x'),
    `Authorization: Basic ${base64(ADA_KEY)}`,
    `Authorization: Basic ${ADA_KEY}`,
    `Authorization: Basic\t${pair}`,
    `Authorization: Basic "${pair}"`,
    `Authorization: Basic ${pair.slice(0, 10)} ${pair.slice(10)}`,
    `Authorization: Basic ${pair}, Basic ${base64('a:b')}`,
    `Authorization: Basic ${base64('a:b')}, Basic ${pair}`,
    `Authorization: Bearer ${ADA_KEY}`,
    `Authorization: Bearer ${pair}`,
    `Authorization: Bearer x, Basic ${pair}`,
    `Authorization: token=${ADA_KEY}`,
    `Authorization: ${ADA_KEY}`,
    basic('x'.repeat(30_000), `${ADA_KEY}?`),
  ]
  for (const line of lines) {
    const alone = await gate.ask(line)
    assert.equal(alone.status, 401, line.slice(0, 80))
    assert.match(alone.text, /unknown_credential/, line.slice(0, 80))
    assert.equal((await gate.ask(line, `Sallyport-Key: ${KEY}`)).status, 200, line.slice(0, 80))
  }
  assert.doesNotMatch(gate.received(), /^authorization/im)
  const events = await gate.recorder.waitFor(2 * lines.length)
  assert.doesNotMatch(JSON.stringify(events), /rk_live_[0-9A-Za-z]/)
})

test('of two Authorization headers none may hold a key, and of two ways the header decides', async (context) => {
  const gate = await openGate(context)
  for (const lines of [
    [basic('ada', ADA_KEY), basic('ada', ADA_KEY)],
    [basic('ada', ADA_KEY), basic('admin', 'secret')],
    ['Authorization: Bearer x', basic('ada', ADA_KEY)],
  ])
    assert.equal((await gate.ask(...lines)).status, 400)
  assert.equal((await gate.ask(basic('ada', ADA_KEY), 'Sallyport-Key: rk_live_wrong')).status, 401)
  assert.equal((await gate.ask(basic('ada', OTHER_KEY), `Sallyport-Key: ${KEY}`)).status, 200)
  assert.equal(gate.received().match(/^GET /gm)?.length, 1)
})

test('a request that cannot be read is recorded as of whose password it brings, where there is one', async (context) => {
  const gate = await openGate(context)
  const twice = ['Content-Length: 1', 'Content-Length: 1']
  assert.equal((await gate.ask(basic('ada', ADA_KEY), ...twice)).status, 400)
  assert.equal((await gate.ask(basic('ada', ADA_KEY), basic('ada', ADA_KEY))).status, 400)
  gate.snapshots.putSite(site(gate.originPort, { acceptsKeyAsPassword: true, enabled: false }))
  assert.equal((await gate.ask(basic('ada', ADA_KEY))).status, 503)
  const events = await gate.recorder.waitFor(3)
  assert.deepEqual(
    events.map(({ researcherId }) => researcherId),
    ['researcher-1', '', 'researcher-1'],
  )
})

test('keys in the address of a request are masked in its record, and lead nowhere', async (context) => {
  const gate = await openGate(context)
  for (const [target, host] of [
    [`http://ada:${ADA_KEY}@${HOST}/x`, HOST],
    [`http://ada:${ADA_KEY.replaceAll('_', '%5F')}@${HOST}/x`, HOST],
    ['/x', `ada:${ADA_KEY}@${HOST}`],
  ])
    assert.ok([400, 421].includes((await askGet(gate.port, target ?? '', host ?? '')).status), target)
  assert.equal((await askGet(gate.port, `/x?key=${ADA_KEY}`, HOST, `Sallyport-Key: ${KEY}`)).status, 200)
  const events = await gate.recorder.waitFor(4)
  assert.match(events[3]?.target ?? '', /^\/x\?key=rk_live_\*\*\*$/)
  assert.doesNotMatch(JSON.stringify(events), /rk(?:_|%5f)live(?:_|%5f)[0-9a-z]/i)
})

const askGet = (port: number, target: string, host: string, ...lines: string[]) =>
  sendRaw(
    port,
    [`GET ${target} HTTP/1.1`, `Host: ${host}`, ...lines, 'Connection: close', '', ''].join('\r\n'),
  )

test('what a page of another origin has a browser send is refused, whatever the key', async (context) => {
  const gate = await openGate(context)
  for (const sent of [
    ['Sec-Fetch-Site: cross-site'],
    ['Sec-Fetch-Site: same-site'],
    ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'],
    ['Sec-Fetch-Site: anything'],
    ['Origin: null'],
    [`Origin: http://other.gate.localhost:${gate.port}`],
    [`Origin: http://${HOST}:1`],
  ])
    for (const key of [ADA_KEY, OTHER_KEY]) {
      const refused = await gate.ask(basic('ada', key), ...sent)
      assert.equal(refused.status, 403, sent.join())
      assert.match(refused.text, /foreign_page/)
    }
  assert.equal(gate.received(), '')
  for (const sent of [['Sec-Fetch-Site: same-origin', `Origin: http://${HOST}`], ['Sec-Fetch-Site: none']])
    assert.equal((await gate.ask(basic('ada', ADA_KEY), ...sent)).status, 200, sent.join())
  // The header cannot be sent for another origin, so such a request is a test of the application.
  assert.equal((await gate.ask(`Sallyport-Key: ${KEY}`, 'Sec-Fetch-Site: cross-site')).status, 200)
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual([event?.reason, event?.researcherId], ['foreign_page', ''])
})

test('tools are asked for a password where the site takes one, browsers never', async (context) => {
  const gate = await openGate(context)
  const asked = await gate.ask('User-Agent: git/2.40')
  assert.equal(asked.status, 401)
  assert.match(asked.text, /^WWW-Authenticate: Basic realm="app\.gate\.localhost"\r$/m)
  assert.match((await gate.ask(basic('ada', OTHER_KEY))).text, /^WWW-Authenticate: Basic /m)
  for (const sign of [
    'User-Agent: Mozilla/5.0 (X11; Linux x86_64)',
    'Accept: text/html,*/*',
    'Sec-Fetch-Mode: cors',
    'sec-ch-ua-mobile: ?0',
    `Origin: http://${HOST}`,
    'Upgrade-Insecure-Requests: 1',
  ]) {
    const answer = await gate.ask(sign)
    assert.equal(answer.status, 401, sign)
    assert.doesNotMatch(answer.text, /basic/i, sign)
  }
  gate.snapshots.putSite(site(gate.originPort))
  assert.doesNotMatch((await gate.ask('User-Agent: git/2.40')).text, /basic/i)
  assert.doesNotMatch((await askAt(gate.port, `Host: ${GATE_HOST}`)).text, /Basic/)
  gate.snapshots.putSite(site(gate.originPort, { acceptsKeyAsPassword: true, enabled: false }))
  const closed = await gate.ask('User-Agent: git/2.40')
  assert.deepEqual([closed.status, /Basic/.test(closed.text)], [401, true], 'as when it is open')
})

test('a key of another organization, of nobody, or of a paused researcher does not enter', async (context) => {
  const gate = await openGate(context)
  gate.snapshots.putOtherOrganization('other', OTHER_KEY)
  gate.snapshots.putSite(
    site(gate.originPort, { id: 'site-2', orgId: 'other', gatedName: 'other.gate.localhost' }),
  )
  assert.equal((await gate.ask(basic('eve', OTHER_KEY))).status, 401)
  assert.equal((await askAt(gate.port, 'Host: other.gate.localhost', basic('eve', ADA_KEY))).status, 401)
  // Their site does not take passwords; that ours does is nothing to it.
  assert.equal((await askAt(gate.port, 'Host: other.gate.localhost', basic('eve', OTHER_KEY))).status, 401)
  assert.equal((await askAt(gate.port, `Host: ${GATE_HOST}`, basic('ada', ADA_KEY))).status, 404)
  gate.snapshots.putResearcher(researcher({ keyHashes: [hashOf(ADA_KEY)], paused: true }))
  assert.equal((await gate.ask(basic('ada', ADA_KEY))).status, 403)
  assert.equal(gate.received(), '')
})

test('a stream that came by a password is cut when the site stops to take them; one by the header is not', async (context) => {
  const originPort = await streamingOrigin(context)
  const gate = await startTestDataPlane(context, originPort, { site: { acceptsKeyAsPassword: true } })
  gate.snapshots.putResearcher(researcher({ keyHashes: [hashOf(ADA_KEY)] }))
  const open = (line: string) => watch(gate.port, `GET /stream HTTP/1.1\r\nHost: ${HOST}\r\n${line}\r\n\r\n`)
  const password = open(basic('ada', ADA_KEY))
  const header = open(`Sallyport-Key: ${ADA_KEY}`)
  while (!password.received().includes('begin') || !header.received().includes('begin'))
    await new Promise((resolve) => setTimeout(resolve, 10))
  gate.snapshots.putSite(site(originPort))
  await password.closedAt
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual([event?.reason, gate.recorder.events.length], ['access_ended', 1])
  gate.snapshots.putSite(site(originPort, { enabled: false }))
  await header.closedAt
})

test('over HTTP/2 it is the same', async (context) => {
  const origin = await startRawOrigin(context)
  const gate = await startHttp2DataPlane(context, origin.port, { site: { acceptsKeyAsPassword: true } })
  gate.snapshots.putResearcher(researcher({ keyHashes: [hashOf(ADA_KEY)] }))
  const authorization = `Basic ${base64(`ada:${ADA_KEY}`)}`
  assert.equal((await gate.send({ ':path': '/', authorization })).status, 200)
  assert.equal((await gate.send({ ':path': '/', authorization, 'sec-fetch-site': 'cross-site' })).status, 403)
  const asked = await gate.send({ ':path': '/' })
  assert.deepEqual([asked.status, String(asked.headers['www-authenticate'])], [401, `Basic realm="${HOST}"`])
  assert.doesNotMatch(origin.received.join(''), /authorization/i)
})
