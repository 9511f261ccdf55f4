/**
 * A fleet as docs/operations.md tells how to run one: control planes and gateways as processes of their own, enrolled, with
 * PostgreSQL, ClickHouse and Valkey as servers of their own. Between all of them are links that can be made to fail.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { bareEnvironment } from '../environment.ts'
import { type FaultyLink, openFaultyLink } from '../faulty-link.ts'
import { type ApiAnswer, callApi, eventually } from '../installation.ts'
import { freePorts } from '../loopback.ts'
import {
  type DatabaseEngine,
  databaseUrlAt,
  type Engine,
  startDatabase,
  startTrafficStore,
  startValkey,
} from './engines.ts'
import { keepRunning, type Service, startProgram } from './service.ts'

const MAIN = resolve(import.meta.dirname, '../../../packages/sallyport/src/main.ts')
const CLOCK = join(import.meta.dirname, 'shift-clock.ts')
const READY_WAIT_MS = 60_000
type Environment = Readonly<Record<string, string>>

/** A control plane or a gateway. */
export interface FleetPart extends Service {
  readonly url: string
  readonly adminUrl: string
  /** What it was started with. */
  readonly environment: Environment
}

export interface Fleet {
  readonly controls: readonly FleetPart[]
  readonly gateways: readonly FleetPart[]
  readonly database: DatabaseEngine
  readonly store: Engine
  readonly valkey: Engine
  /** The ways from gateways to each control plane, from control planes to databases, from gateways to Valkey. */
  readonly links: {
    readonly controls: readonly FaultyLink[]
    readonly database: FaultyLink
    readonly store: FaultyLink
    readonly valkey: FaultyLink
  }
  readonly apiKey: string
  readonly researcherKey: string
  /** Calls the admin API at the first control plane that answers. */
  api<Body = unknown>(method: string, path: string, body?: unknown): Promise<ApiAnswer<Body>>
  /** Runs a command with the settings of the control planes, and returns the JSON that it prints. */
  command<Printed>(...args: readonly string[]): Promise<Printed>
  /** Everything that its parts have printed. */
  output(): string
  close(): Promise<void>
}

export interface FleetOptions {
  readonly controls?: number
  readonly gateways?: number
  /** Further settings of all gateways, and of all control planes. */
  readonly gatewayEnvironment?: Environment
  readonly controlEnvironment?: Environment
  /** By how much the wall clock of a part differs, milliseconds. */
  readonly clockShiftMs?: (role: 'control' | 'gateway', index: number) => number
  /** Fills the database, before the first gateway comes. */
  readonly fill?: (superuserUrl: string, organizationId: string) => Promise<void>
}

/** Runs a command of Sallyport with settings; resolves with what it printed. */
export async function runCommand(environment: Environment, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], {
    env: { ...bareEnvironment, ...environment },
  })
  return stdout
}

/** Starts a fleet and resolves when every part of it is ready. */
export async function startFleet(options: FleetOptions = {}): Promise<Fleet> {
  const closers: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const closer of closers.reverse().splice(0)) await closer()
  }
  const printed: string[] = []
  try {
    return await startParts(options, closers, close, printed)
  } catch (error) {
    await close()
    throw new Error(`the fleet did not start: ${String(error)}\n${printed.join('')}`, { cause: error })
  }
}

async function startParts(
  {
    controls: controlCount = 2,
    gateways: gatewayCount = 3,
    gatewayEnvironment = {},
    controlEnvironment = {},
    clockShiftMs,
    fill,
  }: FleetOptions,
  closers: (() => Promise<unknown>)[],
  close: () => Promise<void>,
  printed: string[],
): Promise<Fleet> {
  const engines = await Promise.all([startDatabase(), startTrafficStore(), startValkey()])
  const [database, store, valkey] = engines
  closers.push(() => Promise.all(engines.map((engine) => engine.stop())))
  const link = async (target: number | string): Promise<FaultyLink> => {
    const opened = await openFaultyLink(target)
    closers.push(opened.close)
    return opened
  }
  const [databaseLink, storeLink, valkeyLink] = [
    await link(database.target),
    await link(store.target),
    await link(valkey.target),
  ]
  const shared: Environment = {
    DATABASE_URL: databaseUrlAt(databaseLink.port),
    CLICKHOUSE_URL: storeLink.url,
    SALLYPORT_SECRET_KEY: randomBytes(32).toString('hex'),
    SALLYPORT_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    ...controlEnvironment,
  }
  const say = (text: string): void => void printed.push(text)
  const home = mkdtempSync(join(tmpdir(), 'sallyport-fleet-'))
  closers.push(async () => rmSync(home, { recursive: true, force: true }))
  const start = async (role: 'control' | 'gateway', index: number, environment: Environment) => {
    const shiftMs = clockShiftMs?.(role, index) ?? 0
    const clock = shiftMs !== 0 && { NODE_OPTIONS: `--import=${CLOCK}`, SHIFTED_CLOCK_MS: String(shiftMs) }
    const dataDir = join(home, `${role}-${index}`)
    const part = await startPart(role, dataDir, { ...environment, ...clock }, say)
    closers.push(part.stop)
    await untilReady(role === 'control' ? part.url : part.adminUrl)
    return part
  }
  // One after the other: the first one migrates both stores.
  const controls: FleetPart[] = []
  for (let index = 0; index < controlCount; index += 1) controls.push(await start('control', index, shared))
  const operator = { ...shared, SALLYPORT_DATA_DIR: join(home, 'operator') }
  const command = async <Printed>(...args: readonly string[]): Promise<Printed> =>
    JSON.parse(await runCommand(operator, [...args, '--json']))
  const made = await command<{ apiKey: string; organizationId: string }>(
    ...['organizations', 'create', '--name', 'Fleet'],
  )
  const { apiKey } = made
  await fill?.(database.superuserUrl, made.organizationId)
  const api = <Body>(method: string, path: string, body?: unknown) =>
    callFirst<Body>(controls, method, path, body, apiKey)
  const controlLinks = await Promise.all(controls.map(({ url }) => link(Number(new URL(url).port))))
  const enrol = async (index: number): Promise<FleetPart> => {
    const { body } = await api<{ token: string }>('POST', '/api/Gateways/enrolments', { gatewayId: null })
    const environment = {
      SALLYPORT_CONTROL_URL: controlLinks.map(({ url }) => url).join(','),
      VALKEY_URL: `redis://127.0.0.1:${valkeyLink.port}`,
      SALLYPORT_GATEWAY_ID: `gateway-${index}`,
      SALLYPORT_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
      ...gatewayEnvironment,
    }
    const own = { ...environment, SALLYPORT_DATA_DIR: join(home, `gateway-${index}`) }
    await runCommand({ ...own, SALLYPORT_ENROLMENT_TOKEN: body.token }, ['gateway', 'enroll'])
    return start('gateway', index, environment)
  }
  const gateways = await Promise.all(Array.from({ length: gatewayCount }, (_, index) => enrol(index)))
  const { body: hacker } = await api<{ key: string }>('POST', '/api/Hackers', { email: 'r@example.com' })
  return {
    ...{ controls, gateways, database, store, valkey, apiKey, api, command, close },
    links: { controls: controlLinks, database: databaseLink, store: storeLink, valkey: valkeyLink },
    researcherKey: hacker.key,
    output: () => printed.join(''),
  }
}

/** Starts a control plane or a gateway on free ports, in a data directory; does not wait until it is ready. */
export async function startPart(
  role: 'control' | 'gateway',
  dataDir: string,
  given: Environment,
  say: (text: string) => void,
): Promise<FleetPart> {
  const [port = 0, adminPort = 0] = await freePorts(2)
  const variable = role.toUpperCase()
  const environment: Record<string, string> = {
    ...bareEnvironment,
    SALLYPORT_DATA_DIR: dataDir,
    [`SALLYPORT_${variable}_PORT`]: String(port),
    [`SALLYPORT_${variable}_ADMIN_PORT`]: String(adminPort),
    ...given,
  }
  const service = await keepRunning(role, () =>
    startProgram(process.execPath, [MAIN, role], environment, say),
  )
  const url = `http://127.0.0.1:${environment[`SALLYPORT_${variable}_PORT`]}`
  const adminUrl = `http://127.0.0.1:${environment[`SALLYPORT_${variable}_ADMIN_PORT`]}`
  return { ...service, url, adminUrl, environment }
}

/** Waits until what is asked says that it can serve. */
export const untilReady = (url: string): Promise<true> =>
  eventually(
    async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true || undefined,
    READY_WAIT_MS,
  )

/** An answer of the first control plane that gives one other than "not now". */
async function callFirst<Body>(
  controls: readonly FleetPart[],
  method: string,
  path: string,
  body: unknown,
  token: string,
): Promise<ApiAnswer<Body>> {
  let last: ApiAnswer<Body> | undefined
  for (const { url } of controls) {
    const answer = await callApi<Body>(url, method, path, body, token, API_WAIT_MS).catch(() => undefined)
    if (answer && answer.status < 500) return answer
    last = answer ?? last
  }
  if (!last) throw new Error('no control plane answers')
  return last
}
const API_WAIT_MS = 3_000
