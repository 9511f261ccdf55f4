/**
 * The admin API against a bare handler (`support/bare-api.ts`), on one PostgreSQL with its durable settings, in one run:
 * reading 50 sites with an API key, and changing the rate limit of a site. Then the same again with 10,000 organizations
 * and 500,000 sites in the database. The sides take turns; each round gives a ratio, and their median is told, so that
 * what else the machine does weighs on both. Processor time is that of the server and of PostgreSQL together.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash, randomBytes, randomUUIDv7 } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import {
  API_KEY_PREFIX,
  formatSecretKey,
  SECRET_KEY_RANDOM_BYTES,
  secretKeyLookup,
} from '@sallyport/contract'
import type { ControlSettings } from '@sallyport/control'
import { Client } from 'pg'
import { startPostgres } from '../packages/sallyport/src/embedded/postgres.ts'
import { cpuTimeWithChildrenUs } from './support/cpu-time.ts'
import { requirePrograms } from './support/programs.ts'
import { median } from './support/statistics.ts'

const ROUNDS = 7
const SECONDS = 3
const CONNECTIONS = 16
const SITES = 50
const ORGANIZATIONS_MANY = 10_000
const SITES_EACH = 50

interface Measured {
  readonly perSecond: number
  readonly p99Ms: number
  /** For each request. */
  readonly cpuUs: number
}
/** A side of the comparison. */
interface Server {
  readonly url: string
  readonly pid: number
}
interface Workload {
  readonly name: string
  readonly path: string
  readonly body?: string
}

requirePrograms('wrk')
const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
const postgres = await startPostgres({ directory: join(folder, 'postgres') })
const orgId = randomUUIDv7()
const siteId = randomUUIDv7()
const key = formatSecretKey(API_KEY_PREFIX, randomBytes(SECRET_KEY_RANDOM_BYTES))
const children: ChildProcess[] = []
try {
  const ours = await start('control-api.ts', JSON.stringify(controlSettings()))
  await fill()
  const bare = await start('bare-api.ts', postgres.ownerUrl, orgId)
  const workloads: Workload[] = [
    { name: 'GET /api/sites, 50 sites', path: '/api/sites' },
    {
      name: 'setRateLimiting',
      path: '/api/sites/setRateLimiting',
      body: JSON.stringify({ id: siteId, rateLimit: 'fixed' }),
    },
  ]
  const few = new Map<string, number>()
  for (const workload of workloads) few.set(workload.name, await compare(workload, ours, bare))
  console.log(`  … ${ORGANIZATIONS_MANY} organizations with ${SITES_EACH} sites each are being made`)
  await fillMany()
  for (const workload of workloads) {
    const before = few.get(workload.name) ?? Number.NaN
    const after = await compare(workload, ours, bare)
    console.log(
      `  ${workload.name}: ${(before / after).toFixed(2)} times the time among ${ORGANIZATIONS_MANY * SITES_EACH} sites`,
    )
  }
} finally {
  for (const child of children) {
    if (child.exitCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Measures both sides in turns and prints their ratio; returns our requests per second. */
async function compare(workload: Workload, ours: Server, bare: Server): Promise<number> {
  const rounds: { readonly ours: Measured; readonly bare: Measured }[] = []
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push({ bare: await load(bare, workload), ours: await load(ours, workload) })
  const side = (name: 'ours' | 'bare', value: keyof Measured) =>
    median(rounds.map((round) => round[name][value]))
  const ratio = (value: keyof Measured) =>
    median(rounds.map((round) => round.ours[value] / round.bare[value])).toFixed(2)
  const told = (name: 'ours' | 'bare') =>
    `${side(name, 'perSecond').toFixed(0)}/s, p99 ${side(name, 'p99Ms').toFixed(1)} ms, ${side(name, 'cpuUs').toFixed(0)} µs`
  console.log(`  ${workload.name.padEnd(26)} ${told('ours')}; bare ${told('bare')}`)
  console.log(
    `  ${' '.repeat(26)} ${ratio('perSecond')} of its throughput, ${ratio('p99Ms')} times its p99, ${ratio('cpuUs')} times its processor time`,
  )
  return side('ours', 'perSecond')
}

async function load({ url, pid }: Server, { path, body }: Workload): Promise<Measured> {
  const script = join(folder, 'request.lua')
  const post =
    body === undefined
      ? ''
      : `wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = '${body}'\n`
  writeFileSync(script, `${post}wrk.headers["Authorization"] = "Bearer ${key}"\n`)
  const cpuTimeUs = () => cpuTimeWithChildrenUs(pid) + cpuTimeWithChildrenUs(postgres.pid)
  const before = cpuTimeUs()
  const { stdout } = await promisify(execFile)('wrk', [
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${SECONDS}s`,
    '--latency',
    '-s',
    script,
    url + path,
  ])
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk was refused:\n${stdout}`)
  const [, p99 = '', unit = ''] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? []
  const scale = { us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1])
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p99Ms: Number(p99) * scale,
    cpuUs: (cpuTimeUs() - before) / requests,
  }
}

async function start(script: string, ...values: string[]): Promise<Server> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'support', script), ...values], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`${script} ended with code ${code} before it listened`)
    }),
  ])
  return { url: String(line), pid: child.pid ?? 0 }
}

/** Keys travel in base64: the settings are given to the other process as JSON. */
function controlSettings(): Omit<ControlSettings, 'secretKey'> & { readonly secretKey: string } {
  return {
    host: '127.0.0.1',
    port: 0,
    adminHost: '127.0.0.1',
    adminPort: 0,
    version: '0.0.0',
    trustedProxies: [],
    publicUrl: 'http://localhost:7070',
    gateDomain: 'gate.localhost',
    gatewayPublicUrl: 'http://gate.localhost:7080',
    gateUrl: 'http://sallyport.gate.localhost:7080',
    originProof: 'auto',
    allowPrivateOrigins: [],
    databaseUrl: postgres.appUrl,
    migrationDatabaseUrl: postgres.ownerUrl,
    clickhouse: { dataDir: join(folder, 'clickhouse') },
    secretKey: randomBytes(32).toString('base64'),
    gatewayToken: 'bench',
    oidc: null,
    notify: { webhookHosts: [], webhookPrivateAddresses: [], webhookPlainHosts: [], mail: null },
    consoleDir: null,
    logLevel: 'silent',
    traces: null,
  }
}

/** The organization that is measured. */
async function fill(): Promise<void> {
  await execute(`INSERT INTO organizations (org_id, name) VALUES ('${orgId}', 'bench')`)
  await execute(
    `INSERT INTO api_keys (org_id, id, name, role, lookup, hash, created_by, created_by_email)
     VALUES ('${orgId}', gen_random_uuid(), 'bench', 'owner', '${secretKeyLookup(key)}',
       '${createHash('sha256').update(key).digest('hex')}', 'bench', 'bench@example.com')`,
  )
  await execute(insertSites(`SELECT '${orgId}'::uuid AS org_id`, SITES))
  await execute(`UPDATE sites SET id = '${siteId}' WHERE id = (SELECT id FROM sites LIMIT 1)`)
}

async function fillMany(): Promise<void> {
  await execute(
    `INSERT INTO organizations (org_id, name) SELECT uuidv7(), 'organization ' || n FROM generate_series(1, ${ORGANIZATIONS_MANY}) n`,
  )
  await execute(insertSites(`SELECT org_id FROM organizations WHERE org_id <> '${orgId}'`, SITES_EACH))
  await execute('VACUUM ANALYZE')
  // What the load left to be written would otherwise be written during the measurement.
  await execute('CHECKPOINT', postgres.superuserUrl)
}

function insertSites(organizations: string, each: number): string {
  return `INSERT INTO sites (org_id, id, origin_name, origin_scheme, origin_host, origin_port, gated_name, is_enabled, starts_at,
     stops_at, instructions, block_list, created_by)
   SELECT org_id, uuidv7(), 'https://site' || n || '.example.com', 'https', 'site' || n || '.example.com', 443,
     'site-' || n || '-' || org_id || '.gate.localhost', true, now(), now() + interval '30 days',
     'Please leave the checkout alone on weekdays.', '[{"id":"admin","pathPrefix":"/admin","methods":[],"status":403,"enabled":true}]',
     'bench'
   FROM (${organizations}) o, generate_series(1, ${each}) n`
}

async function execute(statement: string, connectionString = postgres.ownerUrl): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  await client.query(statement)
  await client.end()
}
