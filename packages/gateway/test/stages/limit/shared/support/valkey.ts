/** A Valkey (or Redis) of a test's own, that can be killed, stopped and started again, and gateways that count in it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import type { RateLimitPolicy } from '@sallyport/contract'
import { freePorts } from '../../../../../../../test/support/loopback.ts'
import {
  SharedCounters,
  type SharedCountersOptions,
} from '../../../../../src/stages/limit/shared/shared-counters.ts'
import { until } from '../../../../record/support.ts'

const SERVER = ['valkey-server', 'redis-server'].find((name) => spawnSync(name, ['--version']).status === 0)
/** Why tests that need one are skipped. */
export const skip = SERVER ? false : 'neither valkey-server nor redis-server is installed'
/** A server that was just started counts after three seconds. */
const THERE_WAIT_MS = 20_000

export class TestValkey {
  readonly port: number
  readonly #options: readonly string[]
  readonly #file: string | undefined
  #process: ChildProcess | undefined

  private constructor(port: number, options: readonly string[], file: string | undefined) {
    this.port = port
    this.#options = options
    this.#file = file
  }

  /** @param file of its configuration, for what may not be said in options */
  static async start(options: readonly string[] = [], file?: string): Promise<TestValkey> {
    const [port = 0] = await freePorts(1)
    const server = new TestValkey(port, options, file)
    await server.start()
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    const own = this.#file ? [this.#file] : ['--save', '', '--appendonly', 'no']
    const options = [...own, '--port', String(this.port), '--bind', '127.0.0.1', ...this.#options]
    const child = spawn(SERVER ?? '', options, { stdio: ['ignore', 'pipe', 'ignore'] })
    this.#process = child
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += String(chunk)
    })
    await until(() => /eady to accept connections|Sentinel ID is/.test(output), 'the server')
  }

  async kill(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (child?.kill('SIGKILL')) await once(child, 'exit')
  }

  /** Lets the process stand still for so long. */
  async freeze(ms: number): Promise<void> {
    this.#process?.kill('SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, ms))
    this.#process?.kill('SIGCONT')
  }
}

export interface TestGateway {
  readonly counters: SharedCounters
  readonly lines: string[]
}

let gateways = 0

/** A gateway that counts there, from when it does. */
export async function connect(
  context: TestContext,
  { url }: Pick<TestValkey, 'url'>,
  options: Partial<SharedCountersOptions> = {},
): Promise<TestGateway> {
  const lines: string[] = []
  const log = (_level: string, line: string): number => lines.push(line)
  gateways += 1
  const counters = await SharedCounters.connect({ url, log, gatewayId: `gateway ${gateways}`, ...options })
  context.after(() => counters.close())
  await untilThere({ counters, lines })
  return { counters, lines }
}

export async function untilThere({ counters }: TestGateway): Promise<void> {
  const endsAt = performance.now() + THERE_WAIT_MS
  while (!counters.shared.isThere) {
    if (performance.now() > endsAt) throw new Error('waited in vain for Valkey')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

let sites = 0
export const freshSite = (): string => {
  sites += 1
  return `site ${sites}`
}

/** Asks all at once, of one gateway after the other; returns how many were let through. */
export async function allowedOf(
  counters: readonly SharedCounters[],
  site: string,
  policy: RateLimitPolicy,
  requests: number,
): Promise<number> {
  const decisions = await Promise.all(
    Array.from({ length: requests }, (_, index) =>
      counters[index % counters.length]?.acquire(site, `r${index % 3}`, policy),
    ),
  )
  return decisions.filter((decision) => decision?.refusedBy === null).length
}
