/** The shipped configurations of nginx and Caddy before a whole installation: TLS ends there, for the control plane and for the gateway. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request as plainRequest } from 'node:http'
import { request } from 'node:https'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import type { TrafficEvent } from '@sallyport/contract'
import { makeCertificate } from '../../packages/gateway/test/support/certificates.ts'
import { eventually, type Installation, startInstallation } from '../support/installation.ts'
import { freePorts, listenForTest } from '../support/loopback.ts'
import { createSite } from '../support/site.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { caddyPlaces, startCaddyWith } from './support/caddy.ts'
import { type ShippedPlaces, shippedPlaces, startNginxWith, without } from './support/programs.ts'

const CONTROL = 'localhost'
const SHOP = 'shop.gate.localhost'
const CLIENT = '127.0.0.7'
const shipped = (name: string): string =>
  readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')
/** How each is started with what is shipped for it; resolves with what it says of its configuration, before it listens. */
const PROXIES = {
  nginx: (context: TestContext, places: ShippedPlaces) =>
    startNginxWith(context, shipped('nginx.conf'), shippedPlaces(places), places.port),
  caddy: async (context: TestContext, places: ShippedPlaces) =>
    (await startCaddyWith(context, shipped('Caddyfile'), caddyPlaces(places), places.port)).checked,
}
type ProxyName = keyof typeof PROXIES
/** What each answers a body that is longer than it may be; behind Caddy, the control plane may say so first. */
const TOO_LONG: Readonly<Record<ProxyName, readonly number[]>> = { nginx: [413], caddy: [502, 413] }
/** A frame of two letters, by a client (masked with zeros) and by a server (RFC 6455, section 5.2). */
const CLIENT_FRAME = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69])
const SERVER_FRAME = Buffer.from([0x81, 0x02, 0x68, 0x69])

/** Answers with the target, begins a long answer at `/slow`, and echoes a frame over WebSockets. */
async function startSite(context: TestContext): Promise<string> {
  const server = createServer((asked, answer) => {
    if (asked.url === '/slow') answer.write('begun')
    else if (asked.url === '/orders')
      answer.writeHead(200, { 'x-accel-redirect': '/elsewhere' }).end('as it is')
    else answer.end(asked.url)
  })
  server.on('upgrade', (_asked: IncomingMessage, socket: Duplex) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n')
    socket.write('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n')
    socket.on('data', () => socket.write(SERVER_FRAME))
    socket.on('error', () => undefined)
  })
  return (await listenForTest(context, server)).url
}

/** An installation whose gateway reaches the control plane through a proxy, and is reached through it. */
async function startBehind(proxy: ProxyName, context: TestContext) {
  const [port = 0, plainPort = 0, gatewayPort = 0] = await freePorts(3)
  const folder = temporaryFolder(context)
  makeCertificate(folder, 'sallyport', CONTROL)
  makeCertificate(folder, 'gate', SHOP)
  let checked = ''
  const installation: Installation = await startInstallation({
    environment: {
      NODE_EXTRA_CA_CERTS: `${folder}/sallyport.crt`,
      SALLYPORT_GATEWAY_PORT: String(gatewayPort),
      SALLYPORT_TRUSTED_PROXIES: '127.0.0.1/32',
      SALLYPORT_GATEWAY_TRUSTED_PROXIES: '127.0.0.1/32',
    },
    between: async (controlUrl) => {
      const servers = { controls: new URL(controlUrl).host, gateways: `127.0.0.1:${gatewayPort}` }
      const places = { ...servers, port, plainPort, controlHost: CONTROL, certificates: folder }
      checked = await PROXIES[proxy](context, places)
      return `https://${CONTROL}:${port}`
    },
  })
  context.after(() => installation.remove())
  const open = (host: string, path: string, headers: Readonly<Record<string, string>>, method = 'GET') => {
    const ca = readFileSync(`${folder}/${host === CONTROL ? 'sallyport' : 'gate'}.crt`)
    const sent = request({
      ...{ host: '127.0.0.1', port, path, servername: host, ca, agent: false, localAddress: CLIENT, method },
      headers: { host: `${host}:${port}`, ...headers },
    })
    return sent
  }
  const ask = async (host: string, path: string, headers: Readonly<Record<string, string>>) => {
    const [answer]: IncomingMessage[] = await once(open(host, path, headers).end(), 'response')
    assert.ok(answer)
    return answer
  }
  const api = { authorization: `Bearer ${installation.firstRun.apiKey}` }
  const key = { 'sallyport-key': installation.firstRun.researcher.key }
  return { installation, open, ask, api, key, checked: () => checked, plainPort }
}

for (const proxy of ['nginx', 'caddy'] as const)
  test(
    `the shipped configuration of ${proxy} before a whole installation`,
    {
      skip: without(proxy),
    },
    (context) => tryProxy(proxy, context),
  )

async function tryProxy(proxy: ProxyName, context: TestContext): Promise<void> {
  const { installation, open, ask, api, key, checked, plainPort } = await startBehind(proxy, context)
  // Caddy warns of what is of the test: certificates that nobody vouches for, and none that it gets by itself.
  assert.doesNotMatch(checked(), /\[(warn|emerg)\]|"level":"error"/)
  const site = await startSite(context)
  const { id } = await createSite(installation, SHOP, site)
  // A gateway that has just come is not waited for, and may not have its lease yet.
  await eventually(async () => (await ask(SHOP, '/', key)).resume().statusCode === 200)
  const requests = async (): Promise<TrafficEvent[]> =>
    JSON.parse(await text(await ask(CONTROL, '/api/Analytics/requests', api))).items

  await context.test('configuration and record arrive, with the true client', async () => {
    const target = `//a%2Fb?${randomBytes(6_000).toString('hex')}`
    const answer = await ask(SHOP, target, {
      ...key,
      'x-forwarded-for': '198.51.100.9',
      forwarded: 'for=198.51.100.9',
      x_odd: 'kept',
    })
    assert.equal(answer.statusCode, 200)
    assert.equal(await text(answer), target)
    const event = await eventually(async () =>
      (await requests()).find((one) => one.target.startsWith('//a%2Fb?')),
    )
    assert.equal(event.clientAddress, CLIENT)
    assert.equal(event.scheme, 'https')
  })

  await context.test('an answer passes as it comes, and an origin gives no orders to the proxy', async () => {
    const slow = await ask(SHOP, '/slow', key)
    const [chunk] = await once(slow, 'data')
    assert.equal(String(chunk), 'begun')
    slow.destroy()
    assert.equal(await text(await ask(SHOP, '/orders', key)), 'as it is')
  })

  await context.test('a WebSocket passes', async () => {
    const upgrade = { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-version': '13' }
    const asked = open(SHOP, '/socket', {
      ...key,
      ...upgrade,
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }).end()
    const [answer, socket, head] = await Promise.race([
      once(asked, 'upgrade'),
      once(asked, 'response').then(([refused]) => assert.fail(`it was answered ${refused.statusCode}`)),
    ])
    assert.equal(answer.statusCode, 101)
    assert.equal(head.length, 0)
    socket.write(CLIENT_FRAME)
    const [frame] = await once(socket, 'data')
    assert.deepEqual(frame, SERVER_FRAME)
    socket.destroy()
  })

  await context.test('the live tail passes an event while it stays open', async () => {
    const tail = await ask(CONTROL, '/api/Analytics/tail', { ...api, accept: 'text/event-stream' })
    assert.equal(tail.statusCode, 200)
    let told = ''
    tail.setEncoding('utf8').on('data', (chunk: string) => {
      told += chunk
    })
    await text(await ask(SHOP, '/followed', key))
    await eventually(() => told.includes('/followed'))
    assert.ok(!tail.complete)
    tail.destroy()
  })

  await context.test(
    'an API definition may be as long as the API takes it, and all else is not',
    async () => {
      const put = async (path: string, mebibytes: number): Promise<number> => {
        const info = { title: SHOP, version: '1', description: 'x'.repeat(mebibytes * 1_048_576) }
        const body = JSON.stringify({ openapi: '3.1.0', info, paths: {} })
        const sent = open(CONTROL, path, { ...api, 'content-type': 'application/json' }, 'PUT')
        // What is too long may be answered, and the connection closed, before all of it is sent.
        sent.on('error', () => undefined).end(body)
        const [answer]: IncomingMessage[] = await once(sent, 'response')
        return answer?.resume().statusCode ?? 0
      }
      // A reset may overtake the answer then (RFC 9112, section 9.6), so that another try has to tell.
      const refused = async (path: string, mebibytes: number, triesLeft = 10): Promise<number> => {
        try {
          return await put(path, mebibytes)
        } catch (error) {
          const isReset = error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
          if (!isReset || triesLeft === 0) throw error
          return refused(path, mebibytes, triesLeft - 1)
        }
      }
      assert.equal(await put(`/api/Sites/${id}/definition`, 3), 204)
      assert.equal(await put(`/api/Sites/${id}/document?name=orders`, 3), 200)
      for (const [path, mebibytes] of [
        [`/api/Sites/${id}/definition`, 17],
        [`/api/Sites/${id}`, 3],
      ] as const)
        assert.ok(TOO_LONG[proxy].includes(await refused(path, mebibytes)))
    },
  )

  await context.test('plain HTTP is sent to HTTPS', async () => {
    const sent = plainRequest({
      host: '127.0.0.1',
      port: plainPort,
      path: '/x?y',
      headers: { host: CONTROL },
    })
    const [answer]: IncomingMessage[] = await once(sent.end(), 'response')
    assert.equal(answer?.resume().statusCode, 308)
    assert.equal(answer?.headers.location, `https://${CONTROL}/x?y`)
  })
}

test('Caddy says nothing of keys and targets where a gateway is away', {
  skip: without('caddy'),
}, async (context) => {
  const [port = 0, plainPort = 0, deadPort = 0] = await freePorts(3)
  const certificates = temporaryFolder(context)
  makeCertificate(certificates, 'sallyport', CONTROL)
  makeCertificate(certificates, 'gate', SHOP)
  const away = `127.0.0.1:${deadPort}`
  const places = { controls: away, gateways: away, port, plainPort, controlHost: CONTROL, certificates }
  const { said } = await startCaddyWith(context, shipped('Caddyfile'), caddyPlaces(places), port)
  const ca = readFileSync(`${certificates}/gate.crt`)
  const headers = { host: SHOP, 'sallyport-key': 'a-key', cookie: 'session=a-cookie' }
  const sent = request({
    ...{ host: '127.0.0.1', port, path: '/a-path?a-query', servername: SHOP, ca, agent: false, headers },
  })
  const [answer]: IncomingMessage[] = await once(sent.end(), 'response')
  assert.equal(answer?.resume().statusCode, 502)
  await eventually(() => said().includes('connection refused'))
  assert.doesNotMatch(said(), /a-key|a-cookie|a-path|a-query/)
})
