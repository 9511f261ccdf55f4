/**
 * A fleet by the book: two control planes and three gateways on PostgreSQL, ClickHouse and Valkey of their own, behind the shipped
 * nginx.conf, with the settings and the commands of docs/operations.md; then one of each dies.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { ListedGateway, Site, TrafficEvent } from '@sallyport/contract'
import { makeCertificate } from '../../packages/gateway/test/support/certificates.ts'
import { shippedPlaces, startNginxWith, without } from '../real-servers/support/programs.ts'
import { openFaultyLink } from '../support/faulty-link.ts'
import { documentedSettings } from '../support/fleet/documented-settings.ts'
import { databaseUrlAt, startDatabase, startTrafficStore, startValkey } from '../support/fleet/engines.ts'
import { type FleetPart, runCommand, startPart, untilReady } from '../support/fleet/fleet.ts'
import { fallbackDecisions } from '../support/fleet/metrics.ts'
import { eventually } from '../support/installation.ts'
import { freePorts } from '../support/loopback.ts'
import { startOrigin } from '../support/origin.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const CONTROL = 'localhost'
const SHOP = 'shop.gate.localhost'
const PAGE = 'operations.md'
const SHIPPED = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8')
const LIMIT = 20
/** Longer than it takes a control plane to hear what another one has written. */
const HEARD_MS = 1_500
const GATEWAYS = [0, 1, 2]
const CONTROLS = [0, 1]

type Settings = Record<string, string>

/** What is the same on every machine of this fleet, by the page. */
async function describeFleet(context: TestContext, port: number) {
  const engines = await Promise.all([startDatabase(), startTrafficStore(), startValkey()])
  const [database, store, valkey] = engines
  context.after(() => Promise.all(engines.map((engine) => engine.stop())))
  const databaseLink = await openFaultyLink(database.target)
  context.after(databaseLink.close)
  const publicUrl = `https://${CONTROL}:${port}`
  const gateUrl = `https://gate.localhost:${port}`
  const control: Settings = documentedSettings(PAGE, 'More than one machine', {
    DATABASE_URL: databaseUrlAt(databaseLink.port),
    CLICKHOUSE_URL: `http://127.0.0.1:${store.target}`,
    SALLYPORT_SECRET_KEY: randomBytes(32).toString('hex'),
    SALLYPORT_CONTROL_HOST: '127.0.0.1',
    SALLYPORT_PUBLIC_URL: publicUrl,
    SALLYPORT_TRUSTED_PROXIES: '127.0.0.1/32',
    SALLYPORT_GATE_DOMAIN: 'gate.localhost',
    SALLYPORT_GATEWAY_PUBLIC_URL: gateUrl,
  })
  const { SALLYPORT_TLS_DIR: _, ...gateway } = documentedSettings(
    PAGE,
    'More than one machine',
    {
      SALLYPORT_CONTROL_URL: publicUrl,
      SALLYPORT_TLS_DIR: 'where nginx does not end TLS',
      SALLYPORT_GATEWAY_HOST: '127.0.0.1',
      VALKEY_URL: `redis://127.0.0.1:${valkey.target}`,
    },
    1,
  )
  const proxy: Settings = documentedSettings(PAGE, 'Behind a reverse proxy', {
    SALLYPORT_TRUSTED_PROXIES: '127.0.0.1/32',
    SALLYPORT_PUBLIC_URL: publicUrl,
    SALLYPORT_GATEWAY_PUBLIC_URL: gateUrl,
    SALLYPORT_GATEWAY_TRUSTED_PROXIES: '127.0.0.1/32',
    SALLYPORT_CONTROL_URL: publicUrl,
  })
  const here = { SALLYPORT_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8' }
  const { SALLYPORT_GATEWAY_TRUSTED_PROXIES = '' } = proxy
  return {
    control: { ...control, ...here },
    gateway: {
      ...gateway,
      ...here,
      SALLYPORT_GATEWAY_TRUSTED_PROXIES,
      SALLYPORT_GATE_DOMAIN: 'gate.localhost',
    },
  }
}

/** The shipped nginx.conf with a server for each control plane and each gateway. */
async function startProxy(
  context: TestContext,
  folder: string,
  port: number,
  controls: readonly number[],
  gateways: readonly number[],
): Promise<void> {
  const [plainPort = 0] = await freePorts(1)
  const servers = (ports: readonly number[]): string =>
    ports.map((one) => `127.0.0.1:${one}`).join('; server ')
  const places = {
    ...{ controls: servers(controls), gateways: servers(gateways) },
    ...{ port, plainPort, controlHost: CONTROL, certificates: folder },
  }
  await startNginxWith(context, SHIPPED, shippedPlaces(places), port)
}

/** Starts everything as the page says, and returns how people and pipelines reach it: through nginx alone. */
async function startByTheBook(context: TestContext) {
  const [port = 0, ...ports] = await freePorts(1 + 2 * (CONTROLS.length + GATEWAYS.length))
  const folder = temporaryFolder(context)
  makeCertificate(folder, 'sallyport', CONTROL)
  makeCertificate(folder, 'gate', SHOP)
  const { control, gateway } = await describeFleet(context, port)
  const portOf = (role: 'control' | 'gateway', index: number, isAdmin: boolean): number =>
    ports[2 * (role === 'control' ? index : CONTROLS.length + index) + Number(isAdmin)] ?? 0
  await startProxy(
    context,
    folder,
    port,
    CONTROLS.map((index) => portOf('control', index, false)),
    GATEWAYS.map((index) => portOf('gateway', index, false)),
  )
  let printed = ''
  const start = async (
    role: 'control' | 'gateway',
    index: number,
    settings: Settings,
  ): Promise<FleetPart> => {
    const part = await startPart(role, join(folder, `${role}-${index}`), settings, (said) => {
      printed += said
    })
    context.after(part.stop)
    await untilReady(role === 'control' ? part.url : part.adminUrl).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${printed}`)
    })
    return part
  }
  const withPorts = (role: 'control' | 'gateway', index: number, settings: Settings): Settings => ({
    ...settings,
    [`SALLYPORT_${role.toUpperCase()}_PORT`]: String(portOf(role, index, false)),
    [`SALLYPORT_${role.toUpperCase()}_ADMIN_PORT`]: String(portOf(role, index, true)),
  })
  const controls: FleetPart[] = []
  for (const index of CONTROLS)
    controls.push(await start('control', index, withPorts('control', index, control)))
  const operator = { ...control, SALLYPORT_DATA_DIR: join(folder, 'operator') }
  const command = async <Printed>(...args: readonly string[]): Promise<Printed> =>
    JSON.parse(await runCommand(operator, [...args, '--json']))
  const { apiKey } = await command<{ apiKey: string }>(
    ...['organizations', 'create', '--name', 'Example', '--email', 'you@example.com'],
  )
  const enrol = async (index: number): Promise<FleetPart> => {
    const settings = withPorts('gateway', index, {
      ...gateway,
      NODE_EXTRA_CA_CERTS: `${folder}/sallyport.crt`,
    })
    const dataDir = join(folder, `gateway-${index}`)
    mkdirSync(dataDir)
    const { token } = await command<{ token: string }>('gateways', 'token')
    const tokenFile = join(folder, `token-${index}`)
    writeFileSync(tokenFile, token)
    await runCommand({ ...settings, SALLYPORT_DATA_DIR: dataDir }, [
      'gateway',
      'enroll',
      '--token-file',
      tokenFile,
    ])
    return start('gateway', index, settings)
  }
  const gateways = await Promise.all(GATEWAYS.map(enrol))
  const ask = askThrough(folder, port)
  const api = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await ask(CONTROL, method, path, { authorization: `Bearer ${apiKey}` }, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
    return JSON.parse(answer.text || 'null')
  }
  return { controls, gateways, command, api, ask, output: () => printed }
}

const askThrough =
  (folder: string, port: number) =>
  async (host: string, method: string, path: string, headers: Settings, body?: unknown) => {
    const sent = request({
      ...{ host: '127.0.0.1', port, method, path, servername: host, agent: false },
      ca: readFileSync(`${folder}/${host === CONTROL ? 'sallyport' : 'gate'}.crt`),
      headers: {
        host: `${host}:${port}`,
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const [answer]: IncomingMessage[] = await once(sent, 'response')
    assert.ok(answer)
    return { status: answer.statusCode ?? 0, text: await text(answer) }
  }

test('a fleet by the book', { skip: without('nginx', 'redis-server') }, async (context) => {
  const { controls, gateways, command, api, ask, output } = await startByTheBook(context)
  const origin = await startOrigin()
  context.after(origin.close)
  const site = await api<Site>('POST', '/api/Sites', {
    originName: origin.url,
    gatedName: SHOP,
    isActive: true,
  })
  const { key } = await api<{ key: string }>('POST', '/api/Hackers', { email: 'r@example.com' })
  const come = (path: string) => ask(SHOP, 'GET', path, { 'sallyport-key': key })
  const record = async (path: string): Promise<TrafficEvent[]> =>
    (await api<{ items: TrafficEvent[] }>('GET', `/api/Analytics/requests?path=${path}`)).items
  const deployed = async (): Promise<void> => {
    // nginx may ask the control plane that has not heard of the change yet, and so of nothing to wait for.
    await delay(HEARD_MS)
    await eventually(async () => !(await api<Site>('GET', `/api/Sites/${site.id}`)).isDeploymentProgress)
  }

  await context.test('every gateway is enrolled, serves, and hands its record over', async () => {
    await deployed()
    await eventually(async () => {
      const { items } = await api<{ items: ListedGateway[] }>('GET', '/api/Gateways')
      return items.filter(({ state, credential }) => state === 'serving' && credential === 'own').length === 3
    })
    for (const one of ['a', 'b', 'c', 'd', 'e', 'f']) assert.equal((await come(`/first/${one}`)).status, 200)
    const events = await eventually(async () => {
      const found = await record('/first/')
      return found.length === 6 && found
    })
    assert.equal(new Set(events.map(({ gatewayId }) => gatewayId)).size, 3, 'nginx gives each its turn')
    assert.ok(
      events.every(({ scheme, clientAddress }) => scheme === 'https' && clientAddress === '127.0.0.1'),
    )
  })

  await context.test('a limit holds for all gateways together', async () => {
    const limiter = JSON.stringify({ kind: 'fixed', limit: LIMIT, windowMs: 86_400_000 })
    await command('policies', 'create', 'a-day', '--site', limiter)
    await command('plans', 'change', 'standard', '--policies', 'a-day')
    await api('PATCH', `/api/Sites/${site.id}`, { rateLimit: 'a-day' })
    await deployed()
    const statuses: number[] = []
    for (let sent = 0; sent < 3 * LIMIT; sent += 1) statuses.push((await come('/limited')).status)
    const admitted = statuses.filter((status) => status === 200).length
    const refused = statuses.filter((status) => status === 429).length
    // On a busy machine Valkey may be late, and then a gateway counts by itself (docs/rate-limits.md).
    const alone = (await fallbackDecisions(gateways)).reduce((sum, count) => sum + count, 0)
    assert.equal(admitted + refused, 3 * LIMIT)
    assert.ok(admitted >= LIMIT && admitted <= LIMIT + alone, `${admitted} of ${LIMIT}, ${alone}`)
    await api('PATCH', `/api/Sites/${site.id}`, { rateLimit: '' })
    await deployed()
  })

  await context.test('one of each dies: researchers and pipelines go on, and nothing is lost', async () => {
    controls[0]?.kill()
    gateways[0]?.kill()
    // Who was connected to the dead one sees that once; nginx asks another one from then on.
    for (let number = 0; number < 12; number += 1) assert.equal((await come(`/after/${number}`)).status, 200)
    // A change is not asked for again by nginx where the dead one may have begun it: its client does.
    const change = () => api('PATCH', `/api/Sites/${site.id}`, { instructions: 'changed meanwhile' })
    await change().catch(change)
    for (const part of [controls[0]?.url, gateways[0]?.adminUrl]) await untilReady(part ?? '')
    await deployed()
    await eventually(async () => (await record('/after/')).length === 12)
  })

  await context.test('closed for everybody at once', async () => {
    await api('POST', '/api/Organization/stop')
    await eventually(async () => {
      const answers = await Promise.all(GATEWAYS.map(() => come('/closed')))
      return answers.every(({ status }) => status !== 200)
    })
  })
  assert.doesNotMatch(output(), /"level":(50|60)/, output())
})
