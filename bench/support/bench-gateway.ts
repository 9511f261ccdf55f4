/** Starts the real gateway, with its journal on disk, fed by a control plane that says one snapshot of a given size. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { HOST, type Population } from './gateway/control-stub.ts'

export interface BenchGateway {
  readonly pid: number
  readonly url: string
  /** The operator's side, with its metrics. */
  readonly adminUrl: string
  /** Gives the gateway another snapshot; resolves with the milliseconds from its first byte until it is in force. */
  say(population: Population): Promise<number>
  /** Stops the gateway and starts it without a control plane; resolves with the milliseconds until it serves. */
  restartAlone(): Promise<number>
  stop(): Promise<void>
}

/** Starts a script of this folder that prints a line of JSON with its port when it serves. */
export async function startScript(
  path: string,
  argument: object,
): Promise<{ child: ChildProcess; port: number; adminPort?: number }> {
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

/** Starts it; resolves when it serves the whole snapshot. */
export async function startBenchGateway(population: Population): Promise<BenchGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
  const control = await startScript(join(SCRIPTS, 'control-process.ts'), population)
  const launch = (controlPort: number) =>
    startScript(join(SCRIPTS, 'gateway-process.ts'), { controlPort, dataDir })
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
    say: async (next) => {
      control.child.send(next)
      const [tookMs] = await once(control.child, 'message')
      return tookMs
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

const SCRIPTS = join(import.meta.dirname, 'gateway')
/** As the supervisor starts a gateway: see `start.ts` of the command. */
const SEMI_SPACE = '--max-semi-space-size=16'
const COMPILE_CACHE = join(tmpdir(), 'sallyport-bench-compile-cache')
/** Nothing listens there. */
const NO_PORT = 1

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Until the measured site is there; a snapshot is in force as a whole. */
async function untilServed(port: number): Promise<void> {
  for (;;) {
    const status = await new Promise<number>((resolve, reject) => {
      const asked = get({ port, headers: { host: HOST } }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      asked.on('error', reject)
    })
    // A stranger: 503 as long as the site is not known, 401 from then on.
    if (status === 401) return
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
