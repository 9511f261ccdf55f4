/**
 * Starts the real gateway, with its journal on disk, fed by a control plane that says one snapshot of a given size: by a
 * script, or by the command that an operator gives.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { freePorts } from '../../test/support/loopback.ts'
import { HOST, KEY, type Population } from './gateway/control-stub.ts'

export interface BenchGateway {
  readonly pid: number
  readonly url: string
  /** The operator's side, with its metrics. */
  readonly adminUrl: string
  /**
   * Makes another snapshot ready. The function it resolves with gives it to the gateway, and resolves with the
   * milliseconds from its first byte until it is in force.
   */
  prepare(population: Population): Promise<() => Promise<number>>
  /** Begins to watch what holds the gateway up; the function it returns ends that and says it. For the command alone. */
  watchStalls(): () => Promise<Stalls>
  /** Stops the gateway and starts it without a control plane; resolves with the milliseconds until it serves. */
  restartAlone(): Promise<number>
  stop(): Promise<void>
}

/** The longest of each, in milliseconds. */
export interface Stalls {
  /** Delay of a timer by whatever the event loop was busy with. */
  readonly loopMs: number
  /** Halt for the garbage collector. */
  readonly collectionMs: number
}

interface Running {
  readonly child: ChildProcess
  readonly port: number
  readonly adminPort?: number
}

/** Starts a script of this folder that prints a line of JSON with its port when it serves. */
export async function startScript(path: string, argument: object): Promise<Running> {
  const child = spawn(process.execPath, [SEMI_SPACE, path, JSON.stringify(argument)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
  })
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk)
    // The gateway may have logged something before.
    const line = /^\{"port":.*\}$/m.exec(text)?.[0]
    if (line) return { child, ...JSON.parse(line) }
  }
  throw new Error(`${path} ended:\n${text}`)
}

/**
 * Starts it; resolves when it serves the whole snapshot. What watches the command for stalls keeps V8 from giving back memory at rest.
 */
export async function startBenchGateway(
  population: Population,
  by: 'script' | 'command' | 'unwatched command' = 'script',
): Promise<BenchGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
  const control = await startScript(join(SCRIPTS, 'control-process.ts'), population)
  const launch = (controlPort: number): Promise<Running> =>
    by !== 'script'
      ? startCommand(controlPort, dataDir, by === 'command')
      : startScript(join(SCRIPTS, 'gateway-process.ts'), { controlPort, dataDir })
  let gateway = await launch(control.port)
  await untilServed(gateway.port)
  return {
    get pid() {
      return gateway.child.pid ?? 0
    },
    get url() {
      return `http://127.0.0.1:${gateway.port}/`
    },
    get adminUrl() {
      return `http://127.0.0.1:${gateway.adminPort}`
    },
    prepare: async (next) => {
      control.child.send(next)
      await once(control.child, 'message')
      return async () => {
        control.child.send('say')
        const [tookMs] = await once(control.child, 'message')
        return tookMs
      }
    },
    watchStalls: () => {
      gateway.child.kill('SIGUSR2')
      return () => stallsOf(gateway.child)
    },
    restartAlone: async () => {
      await end(gateway.child)
      const from = performance.now()
      gateway = await launch(NO_PORT)
      await untilServed(gateway.port)
      return performance.now() - from
    },
    stop: async () => {
      await end(gateway.child)
      await end(control.child)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** `sallyport gateway`, as an operator starts one, on free ports. */
async function startCommand(controlPort: number, dataDir: string, isWatched: boolean): Promise<Running> {
  const [port = 0, adminPort = 0] = await freePorts(2)
  const watch = join(SCRIPTS, 'stall-watch.ts')
  const watching = isWatched ? ['--import', watch] : []
  const child = spawn(process.execPath, [SEMI_SPACE, ...watching, COMMAND, 'gateway'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      MALLOC_ARENA_MAX: ARENAS,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      SALLYPORT_DATA_DIR: dataDir,
      SALLYPORT_CONTROL_URL: `http://127.0.0.1:${controlPort}`,
      SALLYPORT_GATEWAY_TOKEN: 'bench-token-bench-token-bench-token',
      SALLYPORT_SECRET_KEY: '00'.repeat(32),
      SALLYPORT_GATEWAY_PORT: String(port),
      SALLYPORT_GATEWAY_ADMIN_PORT: String(adminPort),
      SALLYPORT_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
      SALLYPORT_GATE_DOMAIN: 'gate.localhost',
      SALLYPORT_LOG_LEVEL: 'warn',
    },
  })
  child.stdout?.on('data', () => {})
  return { child, port, adminPort }
}

async function stallsOf(child: ChildProcess): Promise<Stalls> {
  if (!child.stdout) throw new Error('its output is not read')
  const lines = createInterface({ input: child.stdout })
  child.kill('SIGUSR2')
  // The gateway may log something meanwhile.
  for await (const line of lines) if (line.startsWith('{"loopMs":')) return JSON.parse(line)
  throw new Error('the gateway ended')
}

const COMMAND = join(import.meta.dirname, '../../packages/sallyport/bin/sallyport.js')
const SCRIPTS = join(import.meta.dirname, 'gateway')
/** As the supervisor starts a gateway: see `start.ts` of the command. */
const SEMI_SPACE = '--max-semi-space-size=8'
const ARENAS = '1'
const COMPILE_CACHE = join(tmpdir(), 'sallyport-bench-compile-cache')
/** Nothing listens there. */
const NO_PORT = 1

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Of the gate: no origin hears of it. */
const OWN_PATH = '/.sallyport/nothing'

/** Until the measured site is there; a snapshot is in force as a whole. */
async function untilServed(port: number): Promise<void> {
  for (;;) {
    const status = await new Promise<number>((resolve) => {
      const headers = { host: HOST, 'sallyport-key': KEY }
      const asked = get({ port, path: OWN_PATH, headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      // Not listening yet.
      asked.on('error', () => resolve(0))
    })
    // Strangers are told nothing of sites. A researcher is one until the site is known, and then told that nothing is there.
    if (status === 404) return
    await delay(5)
  }
}

/** Resident memory in MiB, now and at most so far. */
export function residentMiB(pid: number): { readonly now: number; readonly most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024
  return { now: field('VmRSS'), most: field('VmHWM') }
}
