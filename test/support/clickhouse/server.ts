/** A ClickHouse reached by URL, in a process of its own that can be killed and started again on the same folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../loopback.ts'

const PROCESS = join(import.meta.dirname, 'server-process.ts')

export interface ClickHouseServer {
  readonly url: string
  readonly port: number
  /** What it has stored. */
  readonly dataDir: string
  /** The process that serves now. */
  pid(): number
  /** Resolves when that process has ended. */
  ended(): Promise<unknown>
  /** Ends it as a crash does. */
  kill(): Promise<void>
  /** Starts it again, with what it has stored. */
  start(): Promise<void>
  /** Ends it and deletes what it stored. */
  remove(): Promise<void>
}

export interface ClickHouseOptions {
  readonly isStarted?: boolean
  /** The server is the only node of a cluster with this name. */
  readonly cluster?: string
  /** A folder of the engine that it begins with a copy of: making the tables anew takes four times as long as starting. */
  readonly copyOf?: string
}

/** Makes the server; starts it unless told otherwise. */
export async function startClickHouse({
  isStarted = true,
  cluster,
  copyOf,
}: ClickHouseOptions = {}): Promise<ClickHouseServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sallyport-clickhouse-'))
  // The links are relative, and stay so.
  if (copyOf !== undefined) cpSync(copyOf, dataDir, { recursive: true, verbatimSymlinks: true })
  const [port = 0] = await freePorts(1)
  let running: ChildProcess | undefined

  const start = async (): Promise<void> => {
    running = spawn(
      process.execPath,
      [PROCESS, dataDir, String(port), ...(cluster === undefined ? [] : [cluster])],
      {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      },
    )
    const ended = once(running, 'exit').then(() => Promise.reject(new Error('the ClickHouse server ended')))
    await Promise.race([once(running, 'message'), ended])
    ended.catch(() => undefined)
  }
  const kill = async (): Promise<void> => {
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const ended = once(running, 'exit')
    running.kill('SIGKILL')
    await ended
  }
  const remove = async (): Promise<void> => {
    await kill()
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    if (isStarted) await start()
  } catch (error) {
    await remove()
    throw error
  }
  const pid = (): number => {
    if (running?.pid === undefined) throw new Error('the ClickHouse server does not run')
    return running.pid
  }
  const ended = (): Promise<unknown> => (running ? once(running, 'exit') : Promise.resolve())
  return { url: `http://127.0.0.1:${port}`, port, dataDir, pid, ended, kill, start, remove }
}
