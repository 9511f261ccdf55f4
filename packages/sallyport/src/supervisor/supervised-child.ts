/**
 * A part of Sallyport as a child process that is started again whenever it dies.
 *
 * The child is given a channel to its supervisor. Over it the child says that it is ready; its end tells the child
 * that the supervisor is gone, however that came about.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { DirectoryInUse, OperatorError } from '../operator-error.ts'
import { CANNOT_START, IN_USE } from '../roles/run-role.ts'

export interface SupervisedChildOptions {
  /** As in a sentence: `the gateway`. */
  readonly name: string
  /** Arguments of `node`. */
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** Takes one line for the operator when the child died and is started again. */
  readonly report: (line: string) => void
  /** How long a child that was asked to stop may take before it is killed. */
  readonly stopTimeoutMs: number
  /** When the child is told that what it needs is there (`untilNeeded`); at once unless given. */
  readonly needed?: Promise<void>
}

/** What a child is told then. */
const NEEDED_IS_THERE = 'needed is there'

/** In a child: resolves when the supervisor says that what this part needs is there. One without a supervisor does not wait. */
export async function untilNeeded(): Promise<void> {
  if (!process.connected) return
  for (;;) {
    const [message] = await once(process, 'message')
    if (message === NEEDED_IS_THERE) return
  }
}

export interface SupervisedChild {
  /**
   * Resolves once the child is ready for the first time. Rejects with an `OperatorError` when, before that, it ends
   * with the status that says that starting it again would not help; the child itself has said why.
   */
  readonly ready: Promise<void>
  /** Asks the child to stop, waits for it, and does not start it again. */
  stop(): Promise<void>
}

const FIRST_DELAY_MS = 50
const LAST_DELAY_MS = 2_000

/** Starts the child, and starts it again until it is stopped. */
export function superviseChild(options: SupervisedChildOptions): SupervisedChild {
  const firstReady = Promise.withResolvers<void>()
  let stopping = false
  let wasReady = false
  let delayMs = FIRST_DELAY_MS
  const { needed = Promise.resolve() } = options
  let child = launch()

  function launch(): ChildProcess {
    const launched = spawn(process.execPath, [...options.args], {
      env: options.env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // A session of its own: Ctrl-C in a terminal must reach the supervisor alone, which stops things in order.
      detached: true,
    })
    needed.then(
      () => launched.connected && launched.send(NEEDED_IS_THERE, () => undefined),
      () => undefined,
    )
    launched.on('message', (message) => {
      if (message !== 'ready') return
      wasReady = true
      delayMs = FIRST_DELAY_MS
      firstReady.resolve()
    })
    return launched
  }

  async function keepRunning(): Promise<void> {
    for (;;) {
      const end = await untilEnd(child)
      if (stopping) return
      const line = `${options.name} cannot start`
      if (!wasReady && child.exitCode === CANNOT_START) return firstReady.reject(new OperatorError(line))
      if (!wasReady && child.exitCode === IN_USE) return firstReady.reject(new DirectoryInUse(line))
      options.report(`${options.name} ended (${end}) and is started again`)
      await delay(delayMs)
      if (stopping) return
      delayMs = Math.min(delayMs * 2, LAST_DELAY_MS)
      child = launch()
    }
  }

  const ended = keepRunning()
  ended.catch(firstReady.reject)
  return {
    ready: firstReady.promise,
    stop: async () => {
      stopping = true
      child.kill('SIGTERM')
      const killer = setTimeout(() => child.kill('SIGKILL'), options.stopTimeoutMs)
      await ended
      clearTimeout(killer)
    },
  }
}

/** Resolves, with a word for how, when the process has ended or could not be started at all. */
async function untilEnd(child: ChildProcess): Promise<string> {
  if (child.exitCode === null && child.signalCode === null)
    await new Promise<void>((done) => {
      child.once('exit', () => done())
      child.on('error', () => child.pid === undefined && done())
    })
  return child.signalCode ?? `status ${child.exitCode}`
}
