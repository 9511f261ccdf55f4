/** The search for a proof at an origin: what it finds, and what nobody can use it for. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createAddressPolicy } from '@sallyport/policy'
import { listenForTest } from '../../../../../../test/support/loopback.ts'
import { temporaryFolder } from '../../../../../../test/support/temporary-folder.ts'
import { makeCertificate } from '../../../../../gateway/test/support/certificates.ts'
import type { SiteOrigin } from '../../../../src/features/sites/origin.ts'
import { createProofTokens } from '../../../../src/features/sites/origin-proof/places.ts'
import { createOriginProbe } from '../../../../src/features/sites/origin-proof/probe.ts'
import { createHostAddresses } from '../../../../src/outgoing/host-addresses.ts'
import { startDnsServer } from '../../../support/dns-server.ts'

const tokensOf = createProofTokens(Buffer.alloc(32, 1), [Buffer.alloc(32, 2)])
const TOKENS = tokensOf('org-a', 'shop.example')
const [TOKEN] = TOKENS

/** Finds out about an origin whose name has these addresses, each time that it is looked up the next list. */
async function setUp(context: TestContext, ...lookUps: readonly (readonly string[])[]) {
  const dns = await startDnsServer()
  context.after(() => dns.close())
  let looked = 0
  const addressesOf = createHostAddresses(async () => lookUps[looked++] ?? [])
  const probe = createOriginProbe({
    addressesOf,
    allowed: createAddressPolicy(['127.0.0.0/8']),
    public: createAddressPolicy([]),
  })
  return { dns, probe, looked: () => looked }
}

const LOOPBACK = ['127.0.0.1']
const at = (port: number, scheme: SiteOrigin['scheme'] = 'http'): SiteOrigin => ({
  scheme,
  host: 'shop.example',
  port,
})

async function startFile(context: TestContext, answer: RequestListener | string) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.headers.host} ${request.url}`)
    if (typeof answer === 'string') response.end(answer)
    else answer(request, response)
  })
  const { port } = await listenForTest(context, server)
  return { port, seen }
}

test('a file at the origin proves it, asked for by name, also among other lines', async (context) => {
  const { probe } = await setUp(context, LOOPBACK)
  const { port, seen } = await startFile(context, `# proofs\r\n  ${TOKEN} \r\nsallyport-proof=other\n`)
  assert.equal(await probe.find('org-a', at(port), TOKENS), 'file')
  assert.deepEqual(seen, [`shop.example:${port} /.well-known/sallyport.txt`])
})

test('a record proves the name, in pieces too, and one under an earlier secret key does', async (context) => {
  const { probe, dns } = await setUp(context, [])
  assert.equal(await probe.find('org-a', at(1), TOKENS), null)
  for (const token of TOKENS) {
    dns.records.set('_sallyport.shop.example', ['v=spf1 -all', token])
    assert.equal(await probe.find('org-a', at(1), TOKENS), 'dns')
  }
  assert.equal(await probe.find('org-a', { ...at(1), host: 'www.shop.example' }, TOKENS), null)
  assert.deepEqual(new Set(dns.asked), new Set(['_sallyport.shop.example', '_sallyport.www.shop.example']))
})

test('what proves a host for one organization proves nothing for another, nor another host', () => {
  const all = [
    ...TOKENS,
    ...tokensOf('org-b', 'shop.example'),
    ...tokensOf('org-a', 'www.shop.example'),
    ...createProofTokens(Buffer.alloc(32, 3), [])('org-a', 'shop.example'),
  ]
  assert.equal(new Set(all).size, all.length)
})

const NOT_A_PROOF: Readonly<Record<string, RequestListener>> = {
  'a token that is not alone on its line': (_request, response) => response.end(`proof: ${TOKEN}`),
  'the beginning of a token': (_request, response) => response.end(TOKEN.slice(0, -1)),
  'the token of another organization': (_request, response) =>
    response.end(tokensOf('org-b', 'shop.example')[0]),
  'a page that says not found': (_request, response) => response.writeHead(404).end(TOKEN),
  'a page of more than a kibibyte': (_request, response) => response.end(`${TOKEN}\n${' '.repeat(1_024)}`),
  'a head without an end': (_request, response) =>
    response.writeHead(200, { 'x-long': 'a'.repeat(9_000) }).end(TOKEN),
  'an answer that breaks off': (_request, response) => {
    response.writeHead(200, { 'content-length': '200' }).write(`${TOKEN}\n`)
    setTimeout(() => response.destroy(), 20)
  },
}
for (const [what, answer] of Object.entries(NOT_A_PROOF))
  test(`${what} is no proof`, async (context) => {
    const { probe } = await setUp(context, LOOPBACK)
    const { port, seen } = await startFile(context, answer)
    assert.equal(await probe.find('org-a', at(port), TOKENS), null)
    assert.equal(seen.length, 1)
  })

test('an origin that never ends its answer is given up', async (context) => {
  const { probe } = await setUp(context, LOOPBACK)
  const { port } = await startFile(context, (_request, response) => void response.write(`${TOKEN}\n`))
  assert.equal(await probe.find('org-a', at(port), TOKENS), null)
})

test('no redirect is followed', async (context) => {
  const { probe } = await setUp(context, LOOPBACK)
  const inner = await startFile(context, TOKEN)
  for (const status of [301, 302, 307, 308]) {
    const location = `http://127.0.0.1:${inner.port}/`
    const outer = await startFile(context, (_request, response) =>
      response.writeHead(status, { location }).end(TOKEN),
    )
    assert.equal(await probe.find('org-a', at(outer.port), TOKENS), null)
  }
  assert.deepEqual(inner.seen, [])
})

test('no address is connected to that the gateway would not connect to', async (context) => {
  const { port, seen } = await startFile(context, TOKEN)
  const forbidden = createOriginProbe({
    addressesOf: createHostAddresses(async () => [
      '127.0.0.1',
      '::ffff:127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
    ]),
    allowed: createAddressPolicy(['192.0.2.0/24']),
    public: createAddressPolicy([]),
  })
  const dns = await startDnsServer()
  context.after(() => dns.close())
  for (const host of ['shop.example', '127.0.0.1', '::1', '::ffff:7f00:1'])
    assert.equal(await forbidden.find('org-a', { ...at(port), host }, TOKENS), null)
  assert.deepEqual(seen, [])
})

test('a name is resolved once, and what was judged is what is connected to', async (context) => {
  const { probe, looked } = await setUp(context, ['10.0.0.1', '127.0.0.1'], ['169.254.169.254'])
  const { port, seen } = await startFile(context, TOKEN)
  assert.equal(await probe.find('org-a', at(port), TOKENS), 'file')
  assert.equal(looked(), 1)
  assert.equal(seen.length, 1)
})

test('an organization whose names are never found keeps its own waiting, and no other', async () => {
  const asked: string[] = []
  const addressesOf = createHostAddresses((host) => {
    asked.push(host)
    return host.startsWith('slow') ? new Promise(() => {}) : Promise.resolve(LOOPBACK)
  })
  const slow = Promise.all(['slow-1', 'slow-2', 'slow-3'].map((host) => addressesOf('org-a', host)))
  assert.deepEqual(await addressesOf('org-b', 'quick'), LOOPBACK)
  assert.deepEqual(await addressesOf('org-c', 'quick'), LOOPBACK)
  assert.deepEqual(asked, ['slow-1', 'quick', 'quick'])
  assert.deepEqual(await slow, [[], [], []])
})

test('over https only a certificate counts that proves the name', async (context) => {
  const folder = temporaryFolder(context)
  makeCertificate(folder, 'shop', 'shop.example')
  const [cert, key] = ['crt', 'key'].map((kind) => readFileSync(join(folder, `shop.${kind}`), 'utf8'))
  const server = createTlsServer({ cert, key }, (_request, response) => response.end(TOKEN))
  const { port } = await listenForTest(context, server)
  const { probe } = await setUp(context, LOOPBACK, LOOPBACK)
  assert.equal(await probe.find('org-a', at(port, 'https'), TOKENS), null)
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, cert ?? ''])
  context.after(() => setDefaultCACertificates(before))
  assert.equal(await probe.find('org-a', at(port, 'https'), TOKENS), 'file')
  const other = { ...at(port, 'https'), host: 'other.example' }
  assert.equal(await probe.find('org-a', other, TOKENS), null)
})

test('exempt is what lies in allowed private ranges with all of its addresses', async (context) => {
  const cases: readonly (readonly [readonly string[], boolean])[] = [
    [['127.0.0.1'], true],
    [['127.0.0.1', '127.9.9.9'], true],
    [['127.0.0.1', '1.1.1.1'], false],
    [['1.1.1.1'], false],
    [['10.0.0.1'], false],
    [[], false],
  ]
  for (const [addresses, isExempt] of cases) {
    const { probe } = await setUp(context, addresses)
    assert.equal(await probe.isExempt('org-a', at(80)), isExempt, addresses.join())
  }
})

test('forbidden is an origin of which no address may be connected to, by the kind of its range', async (context) => {
  const cases: readonly (readonly [readonly string[], string | null])[] = [
    [['127.0.0.1'], null],
    [['10.0.0.1'], 'private'],
    [['::1', '10.0.0.1'], 'loopback'],
    [['10.0.0.1', '1.1.1.1'], null],
    [['169.254.169.254'], 'linkLocal'],
    [[], null],
  ]
  for (const [addresses, range] of cases) {
    const { probe } = await setUp(context, addresses)
    assert.equal(await probe.forbiddenRange('org-a', at(80)), range, addresses.join())
  }
  const { probe, looked } = await setUp(context, ['10.0.0.1'])
  assert.equal(await probe.forbiddenRange('org-a', { ...at(80), host: '*.shop.example' }), null)
  assert.equal(looked(), 0)
})
