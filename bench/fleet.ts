/**
 * A hundred gateways, five of them real, with 10,000 sites and 100,000 researchers: all of them start over at once, a
 * thousand changes in a burst with one that reads slowly, and a control plane that is away. The others are many in one
 * process, which keep nothing of what they are sent (`support/fleet/followers.ts`).
 *
 * Processor time is that of the control plane and of PostgreSQL, so it says the same beside other work; times do not.
 *
 * `node bench/fleet.ts 10` measures the start of ten, and what they take at rest, and no more. `node bench/fleet.ts 100 3600`
 * has the control plane away for an hour in place of twenty seconds, once for each kind of lease; `… 100 3600 ever` for leases
 * without end alone, `… 100 3600 10` for those of ten seconds.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { FEED_PATH, type Site } from '@sallyport/contract'
import { Client } from 'pg'
import { type Fleet, type FleetPart, startFleet, untilReady } from '../test/support/fleet/fleet.ts'
import { compareRecord } from '../test/support/fleet/run-faults.ts'
import { callApi, eventually, goThrough } from '../test/support/installation.ts'
import { startOrigin } from '../test/support/origin.ts'
import { residentMiB } from './support/bench-gateway.ts'
import { cpuTimeWithChildrenUs } from './support/cpu-time.ts'
import type { FollowersOrder, SeenByFollower } from './support/fleet/followers.ts'
import { quantile } from './support/statistics.ts'

const ALL = 100
const GATEWAYS = Number(process.argv[2] ?? ALL)
const REAL = Math.min(5, GATEWAYS)
const SIMULATED = GATEWAYS - REAL
const SITES = 10_000
const RESEARCHERS = 100_000
const CHANGES = 1_000
const AT_ONCE = 16
const AWAY_MS = 1_000 * Number(process.argv[3] ?? 20)
/** Seconds; null is without end. */
const LEASES = process.argv[4] ? [process.argv[4] === 'ever' ? null : Number(process.argv[4])] : [10, null]
const TOKEN = 'a-token-that-simulated-gateways-share-among-them'
const WAIT_MS = 180_000
const AT_REST_MS = 10_000
/** From one request through each real gateway to the next, while the control plane is away. */
const PACE_MS = 100

/** Sites that change, each once. */
let changing: readonly string[] = []
const origin = await startOrigin()
const fleet = await startFleet({
  controls: 1,
  gateways: REAL,
  controlEnvironment: { SALLYPORT_GATEWAY_TOKEN: TOKEN },
  fill,
})
const [control] = fleet.controls
if (!control) throw new Error('the fleet has no control plane')
const seen: SeenByFollower[] = []
let followers: ChildProcess | undefined
try {
  await restartAll(control)
  await atRest(fleet)
  if (GATEWAYS === ALL) {
    const site = await openSite()
    await burst(control)
    await awayAndBack(control, site)
  }
  print('control plane, highest memory', `${residentMiB(control.pid()).most} MiB`)
} finally {
  followers?.kill()
  await fleet.close()
  await origin.close()
}

/** Sites and researchers, as the API would make them, in seconds. */
async function fill(superuserUrl: string, organizationId: string): Promise<void> {
  const client = new Client({ connectionString: superuserUrl })
  await client.connect()
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO sites (org_id, id, origin_name, origin_scheme, origin_host, origin_port, gated_name, is_enabled,
       starts_at, stops_at, instructions, created_by)
     SELECT $1, uuidv7(), 'https://o' || n || '.example.com', 'https', 'o' || n || '.example.com', 443,
       'site-' || n || '.gate.localhost', true, now(), now() + interval '30 days', 'Please leave the checkout alone.', 'bench'
     FROM generate_series(1, $2::int) n RETURNING id`,
    [organizationId, SITES],
  )
  changing = rows.slice(0, CHANGES).map(({ id }) => id)
  await client.query(
    `INSERT INTO researchers (org_id, id, email, name, created_by)
     SELECT $1, uuidv7(), 'researcher-' || n || '@example.com', 'Researcher ' || n, 'bench' FROM generate_series(1, $2::int) n`,
    [organizationId, RESEARCHERS],
  )
  await client.query(
    `INSERT INTO researcher_keys (org_id, id, researcher_id, lookup, hash)
     SELECT org_id, uuidv7(), id, substr(md5(id::text), 1, 12), encode(sha256(id::text::bytea), 'hex') FROM researchers`,
  )
  await client.query('ANALYZE')
  await client.end()
}

/** The control plane dies; every gateway starts over when it is back. */
async function restartAll(control: FleetPart): Promise<void> {
  followers = fork(join(import.meta.dirname, 'support/fleet/followers.ts'))
  followers.on('message', (message) => seen.push(message as SeenByFollower))
  const order: FollowersOrder = { controlUrl: control.url, token: TOKEN, count: SIMULATED }
  followers.send(order)
  await eventually(() => new Set(ofKind('all').map(({ follower }) => follower)).size === SIMULATED, WAIT_MS)
  await eventually(() => areConnected(fleet), WAIT_MS)
  seen.length = 0
  const killed = control.pid()
  control.kill()
  await eventually(() => control.pid() !== killed, WAIT_MS)
  await untilReady(control.url)
  const [start, before] = [Date.now(), processorSeconds(fleet)]
  await eventually(() => new Set(ofKind('all').map(({ follower }) => follower)).size === SIMULATED, WAIT_MS)
  await eventually(() => areConnected(fleet), WAIT_MS)
  const tookMs = Date.now() - start
  const spent = processorSeconds(fleet) - before
  const [everything] = ofKind('all')
  const megabytes = (bytes = 0): string => `${(bytes / 1e6).toFixed(1)} MB`
  print(
    'everything, for one gateway',
    `${megabytes(everything?.bytes)}, ${megabytes(everything?.wireBytes)} over the network`,
  )
  print('all of them back', `${(tookMs / 1_000).toFixed(1)} s after the control plane is ready`)
  print(
    'processor time',
    `${spent.toFixed(1)} s, ${((1_000 * spent) / (REAL + SIMULATED)).toFixed(0)} ms a gateway`,
  )
}

/** With every gateway connected, and nobody who asks for anything. */
async function atRest(fleet: Fleet): Promise<void> {
  const before = processorSeconds(fleet)
  await delay(AT_REST_MS)
  const share = (processorSeconds(fleet) - before) / (AT_REST_MS / 1_000)
  print(
    'at rest',
    `${(100 * share).toFixed(1)} % of a core, control plane ${residentMiB(fleet.controls[0]?.pid() ?? 0).now} MiB`,
  )
  const gateways = fleet.gateways.map((gateway) => residentMiB(gateway.pid()).now)
  print('real gateways', `${Math.min(...gateways)} to ${Math.max(...gateways)} MiB`)
  const client = new Client({ connectionString: fleet.database.superuserUrl })
  await client.connect()
  const { rows } = await client.query<{ bytes: string }>(
    'SELECT sum(pg_database_size(datname)) AS bytes FROM pg_database WHERE NOT datistemplate',
  )
  await client.end()
  print('PostgreSQL on disk', `${(Number(rows[0]?.bytes) / 1e6).toFixed(0)} MB`)
}

/** Through the real gateways to a real origin. */
async function openSite(): Promise<Site> {
  const body = { originName: origin.url, gatedName: 'bench.gate.localhost', isActive: true }
  const { body: site } = await fleet.api<Site>('POST', '/api/Sites', body)
  await eventually(async () => (await statuses()).every((status) => status === 200), WAIT_MS)
  return site
}

/** What each real gateway answers now; 0 where it does not. */
function statuses(): Promise<number[]> {
  const come = async ({ url }: FleetPart): Promise<number> =>
    (await goThrough(url, 'bench.gate.localhost', '/', { key: fleet.researcherKey })).status
  return Promise.all(fleet.gateways.map((gateway) => come(gateway).catch(() => 0)))
}

/** What they answer for as long, as `200 (50 times), 503 (950 times)` in the order in which each came first. */
async function statusesFor(ms: number): Promise<string> {
  const times = new Map<number, number>()
  for (const end = Date.now() + ms; Date.now() < end; await delay(PACE_MS))
    for (const status of await statuses()) times.set(status, (times.get(status) ?? 0) + 1)
  return [...times].map(([status, count]) => `${status} (${count} times)`).join(', ')
}

/** A thousand sites change as fast as the API takes it, beside a gateway that reads nothing. */
async function burst(control: FleetPart): Promise<void> {
  const slow = request(new URL(FEED_PATH, control.url), { headers: { authorization: `Bearer ${TOKEN}` } })
  slow.on('response', (feed) => feed.pause())
  slow.on('error', () => undefined)
  slow.end()
  const answered: number[] = []
  const start = Date.now()
  let next = 0
  const changeOn = async (): Promise<void> => {
    for (let number = next++; number < CHANGES; number = next++) {
      const change = { instructions: `change ${number} of the bench` }
      const path = `/api/Sites/${changing[number]}`
      const { status } = await callApi(control.url, 'PATCH', path, change, fleet.apiKey)
      if (status !== 200) throw new Error(`a change was answered ${status}`)
      answered[number] = Date.now()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, changeOn))
  const burstMs = Date.now() - start
  const wanted = SIMULATED * CHANGES
  await eventually(() => ofKind('change').length >= wanted, WAIT_MS)
  const times = ofKind('change').map(({ number, at }) => Math.max(0, at - (answered[number] ?? at)))
  print('a thousand changes', `taken in ${(burstMs / 1_000).toFixed(1)} s`)
  print(
    'from the answer to a gateway',
    `p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms, longest ${quantile(times, 1)} ms; ${times.length} of ${wanted} arrived`,
  )
  slow.destroy()
}

/** For each kind of lease. */
async function awayAndBack(control: FleetPart, site: Site): Promise<void> {
  for (const leaseSeconds of LEASES) {
    const { status } = await fleet.api('PATCH', '/api/Organization/details', { leaseSeconds })
    if (status >= 300) throw new Error(`the lease was answered ${status}`)
    await eventually(async () => {
      const { body } = await fleet.api<Site>('GET', `/api/Sites/${site.id}`)
      return body.isDeploymentProgress === false
    }, WAIT_MS)
    control.freeze()
    const answered = await statusesFor(AWAY_MS)
    control.thaw()
    const start = Date.now()
    await eventually(async () => (await statuses()).every((status) => status === 200), WAIT_MS)
    await eventually(() => areConnected(fleet), WAIT_MS)
    print(
      `away for ${AWAY_MS / 1_000} s, ${leaseSeconds === null ? 'leases for ever' : `leases of ${leaseSeconds} s`}`,
      `gateways answered ${answered}; all serve ${((Date.now() - start) / 1_000).toFixed(1)} s after`,
    )
  }
  const { seen, missing, repeated } = await compareRecord({ fleet, origin })
  print(
    'requests that the origin saw',
    `${seen}, of which ${missing.length} are not in the record, and ${repeated.length} more than once`,
  )
}

function ofKind<Kind extends SeenByFollower['kind']>(kind: Kind): Extract<SeenByFollower, { kind: Kind }>[] {
  return seen.filter((one): one is Extract<SeenByFollower, { kind: Kind }> => one.kind === kind)
}

/** Whether all of them follow, and each real one runs the present revision. */
async function areConnected({ gateways, controls }: Fleet): Promise<boolean> {
  const adminUrl = controls[0]?.adminUrl ?? ''
  const revision = await metric(adminUrl, 'config_revision')
  const all = await Promise.all(gateways.map((gateway) => metric(gateway.adminUrl, 'config_revision')))
  return (await metric(adminUrl, 'feed_followers')) >= REAL + SIMULATED && all.every((one) => one >= revision)
}

async function metric(adminUrl: string, name: string): Promise<number> {
  const answer = await fetch(`${adminUrl}/metrics`).catch(() => undefined)
  const text = (await answer?.text()) ?? ''
  return Number(new RegExp(`^sallyport_${name} (\\S+)$`, 'm').exec(text)?.[1])
}

/** Of the control plane and of PostgreSQL with its servers. */
function processorSeconds({ controls, database }: Fleet): number {
  const pids = [controls[0]?.pid() ?? 0, database.pid()]
  return pids.reduce((sum, pid) => sum + cpuTimeWithChildrenUs(pid), 0) / 1e6
}

function print(what: string, measured: string): void {
  console.log(`  ${what.padEnd(40)}${measured}`)
}
