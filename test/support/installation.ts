/**
 * The whole thing, as an operator has it: `sallyport start` in a temporary directory, reached by HTTP alone.
 * It allows origins on loopback, listens on free ports, and keeps them over a restart.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FirstRun } from '../../packages/sallyport/src/roles/first-run-file.ts'
import { bareEnvironment } from './environment.ts'
import { freePorts } from './loopback.ts'
import { descendantsOf, type SeenProcess, untilGone } from './processes.ts'

const MAIN = resolve(import.meta.dirname, '../../packages/sallyport/src/main.ts')
const READY_WAIT_MS = 60_000
/** Between two checks of what is waited for, at first and in the end. */
const STEP_MS_MIN = 10
const STEP_MS_MAX = 100
/** Names the folder of an installation that was started once and stopped; most tests begin with a copy of it. */
export const PREPARED_INSTALLATION_VARIABLE = 'SALLYPORT_TEST_INSTALLATION'

export interface ApiAnswer<Body> {
  readonly status: number
  readonly headers: Headers
  /** The body, parsed where it is JSON; of the type that the caller expects, which it is not held to. */
  readonly body: Body
}

export interface GateAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface GateRequest {
  readonly method?: string
  /** The researcher's key; null to come as a stranger. The first-run researcher's unless given. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Installation {
  readonly dataDir: string
  readonly controlUrl: string
  readonly gatewayUrl: string
  /** The gateway's own port, for its health. */
  readonly gatewayAdminUrl: string
  /** Where the metrics of the control plane are. */
  readonly controlAdminUrl: string
  readonly firstRun: FirstRun
  /** Everything that it printed. */
  output(): string
  /** Calls the admin API with the first-run key, or with another token; null for none. */
  api<Body = unknown>(
    method: string,
    path: string,
    body?: unknown,
    token?: string | null,
  ): Promise<ApiAnswer<Body>>
  /** Sends a request through the gate, to a gated name, with the target byte for byte as given. */
  gate(gatedName: string, target: string, options?: GateRequest): Promise<GateAnswer>
  /** The process of a role, as it is now. */
  process(role: 'supervisor' | 'control' | 'gateway'): SeenProcess
  /** Asks it to stop and returns the exit status. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  /** Kills every process of it at once, databases included. */
  kill(): Promise<void>
  /** Starts it again on the same directory. */
  start(): Promise<void>
  /** Stops it where it runs and deletes its directory, unless it was given one. */
  remove(): Promise<void>
}

export interface InstallationOptions {
  /** Further settings, as environment variables. */
  readonly environment?: Readonly<Record<string, string>>
  /** Puts something between the gateway and the control plane at this URL: the URL that the gateway is told. */
  readonly between?: (controlUrl: string) => Promise<string>
  /** The folder of an installation that is there already, and stays; a new one is made and deleted otherwise. */
  readonly dataDir?: string
  /** Starts in an empty folder, whatever is prepared. So does what has settings of its own. */
  readonly isFirstStart?: boolean
}

/** Starts an installation and resolves when it is ready to serve. */
export async function startInstallation(options: InstallationOptions = {}): Promise<Installation> {
  const dataDir = options.dataDir ?? newFolder(options)
  const [controlPort, controlAdminPort, gatewayPort, adminPort] = await freePorts(4)
  const controlUrl = `http://127.0.0.1:${controlPort}`
  const gatewayUrl = `http://127.0.0.1:${gatewayPort}`
  const environment = {
    ...bareEnvironment,
    SALLYPORT_DATA_DIR: dataDir,
    SALLYPORT_CONTROL_PORT: String(controlPort),
    SALLYPORT_CONTROL_ADMIN_PORT: String(controlAdminPort),
    SALLYPORT_GATEWAY_PORT: String(gatewayPort),
    SALLYPORT_GATEWAY_ADMIN_PORT: String(adminPort),
    SALLYPORT_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    SALLYPORT_LOG_LEVEL: 'warn',
    ...(options.between && { SALLYPORT_CONTROL_URL: await options.between(controlUrl) }),
    ...options.environment,
  }
  let running: ChildProcess | undefined
  let output = ''

  const start = async (): Promise<void> => {
    running = spawn(process.execPath, [MAIN, 'start'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [running.stdout, running.stderr])
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    const before = output.length
    for (let waited = 0; !output.slice(before).includes('Sallyport is ready.'); waited += 20) {
      if (running.exitCode !== null || waited > READY_WAIT_MS) throw new Error(`it did not start:\n${output}`)
      await delay(20)
    }
  }
  const supervisorPid = (): number => {
    if (running?.pid === undefined) throw new Error('it does not run')
    return running.pid
  }
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    if (!running || running.exitCode !== null || running.signalCode !== null) return running?.exitCode ?? null
    const ended = once(running, 'exit')
    running.kill(signal)
    await ended
    return running.exitCode
  }
  const kill = async (): Promise<void> => {
    const pids = [supervisorPid(), ...descendantsOf(supervisorPid()).map(({ pid }) => pid)]
    for (const pid of pids)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended by itself since it was seen, as the servers of single connections do.
      }
    await untilGone(pids)
  }
  const remove = async (): Promise<void> => {
    await stop()
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    await start()
  } catch (error) {
    await remove()
    throw error
  }
  const firstRun: FirstRun = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8'))
  return {
    dataDir,
    controlUrl,
    gatewayUrl,
    gatewayAdminUrl: `http://127.0.0.1:${adminPort}`,
    controlAdminUrl: `http://127.0.0.1:${controlAdminPort}`,
    firstRun,
    output: () => output,
    api: (method, path, body, token = firstRun.apiKey) => callApi(controlUrl, method, path, body, token),
    gate: (gatedName, target, options = {}) =>
      goThrough(gatewayUrl, gatedName, target, { key: firstRun.researcher.key, ...options }),
    process: (role) => findRole(supervisorPid(), role),
    stop,
    kill,
    start,
    remove,
  }
}

/** An empty folder, or a copy of the prepared installation, which saves the time of a first start. Files keep their owners. */
function newFolder({ environment, isFirstStart = environment !== undefined }: InstallationOptions): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-installation-'))
  const prepared = process.env[PREPARED_INSTALLATION_VARIABLE]
  if (prepared !== undefined && !isFirstStart) execFileSync('cp', ['-a', `${prepared}/.`, folder])
  return folder
}

/**
 * Waits until `check` holds; throws when it does not within `waitMs`, well over what it takes on a loaded machine. Asks less and less often:
 * a check that goes through the API or a browser takes time of the processors that what it waits for needs.
 */
export async function eventually<T>(
  check: () => Promise<T | undefined | false> | T | undefined | false,
  waitMs = 20_000,
): Promise<T> {
  const end = performance.now() + waitMs
  for (let stepMs = STEP_MS_MIN; ; stepMs = Math.min(stepMs * 1.5, STEP_MS_MAX)) {
    const value = await check()
    if (value !== undefined && value !== false) return value
    if (performance.now() > end) throw new Error(`it did not come about in ${waitMs} ms`)
    await delay(stepMs)
  }
}

/** Waits until the record of the first run's organization has so many requests. */
export const untilRecorded = (installation: Pick<Installation, 'api'>, requests: number): Promise<true> =>
  eventually(async () => {
    const { body } = await installation.api<{ total: number }>('GET', '/api/Analytics/facets')
    return body.total === requests
  })

function findRole(supervisorPid: number, role: 'supervisor' | 'control' | 'gateway'): SeenProcess {
  if (role === 'supervisor') return { pid: supervisorPid, command: '' }
  const found = descendantsOf(supervisorPid).find(({ command }) => command.includes(`main.ts ${role}`))
  if (!found) throw new Error(`no process of the ${role} runs`)
  return found
}

/** Calls the admin API of a control plane; null for no token. Waits for the answer for `waitMs` where given. */
export async function callApi<Body>(
  controlUrl: string,
  method: string,
  path: string,
  body: unknown,
  token: string | null,
  waitMs?: number,
): Promise<ApiAnswer<Body>> {
  const answer = await fetch(`${controlUrl}${path}`, {
    method,
    ...(waitMs !== undefined && { signal: AbortSignal.timeout(waitMs) }),
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const isJson = /json/.test(answer.headers.get('content-type') ?? '')
  return { status: answer.status, headers: answer.headers, body: isJson && text ? JSON.parse(text) : text }
}

/** A request as a tool sends it, to the gateway at a URL under a gated name. */
export function goThrough(
  gatewayUrl: string,
  gatedName: string,
  target: string,
  options: GateRequest,
): Promise<GateAnswer> {
  const { hostname, port } = new URL(gatewayUrl)
  return new Promise((done, fail) => {
    const sent = request(
      {
        hostname,
        port,
        path: target,
        method: options.method ?? 'GET',
        headers: {
          host: gatedName,
          ...(options.key && { 'sallyport-key': options.key }),
          ...options.headers,
        },
      },
      (answer) => {
        let body = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk: string) => {
          body += chunk
        })
        answer.on('end', () => done({ status: answer.statusCode ?? 0, headers: answer.headers, body }))
        answer.on('error', fail)
      },
    )
    sent.on('error', fail)
    sent.end(options.body)
  })
}
