/**
 * A program that runs on and on, started again two seconds after it ends, as the shipped units for systemd do
 * (`Restart=always`, `RestartSec=2`); and what may happen to it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { descendantsOf } from '../processes.ts'

const RESTART_MS = 2_000

/** A running server of a fleet. */
export interface Service {
  readonly name: string
  pid(): number
  /** Ends it as a crash does; it is started again. */
  kill(): void
  /** Stops it and what it started in their tracks. */
  freeze(): void
  /** Lets them go on. */
  thaw(): void
  stop(): Promise<void>
}

/** Something that was started and may be started again. */
export interface Started {
  readonly pid: number
  readonly ended: Promise<unknown>
  stop(): Promise<void>
}

/** Keeps running what `start` starts. */
export async function keepRunning(name: string, start: () => Promise<Started>): Promise<Service> {
  let isStopping = false
  let running = await start()
  const startAgain = async (): Promise<void> => {
    for (;;) {
      await running.ended
      await delay(RESTART_MS)
      if (isStopping) return
      // What a killed server left may still be in the way of the next one.
      running = await start().catch(() => ({ ...running, ended: Promise.resolve() }))
      if (isStopping) await running.stop()
    }
  }
  const over = startAgain()
  let frozen: number[] = []
  const thaw = (): void => {
    for (const pid of frozen) signal(pid, 'SIGCONT')
    frozen = []
  }
  return {
    name,
    pid: () => running.pid,
    kill: () => signal(running.pid, 'SIGKILL'),
    freeze: () => {
      frozen = [running.pid, ...descendantsOf(running.pid).map(({ pid }) => pid)]
      for (const pid of frozen) signal(pid, 'SIGSTOP')
    },
    thaw,
    stop: async () => {
      isStopping = true
      thaw()
      await running.stop()
      await over
    },
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself, as servers of single connections do.
  }
}

/** Starts a program; what it says on standard error goes to `say`. */
export async function startProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  say: (text: string) => void = () => undefined,
): Promise<Started> {
  const child: ChildProcess = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => say(String(chunk)))
  await once(child, 'spawn')
  const ended = once(child, 'exit')
  return {
    pid: child.pid ?? 0,
    ended,
    stop: async () => {
      child.kill()
      await ended
    },
  }
}
