/** Load at a steady rate by wrk: each connection waits before each request, and each request has a target of its own. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface PacedLoad {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** What targets begin with; a number follows. */
  readonly prefix: string
  readonly requestsPerSecond: number
  readonly seconds: number
}

export interface PacedResult {
  readonly requests: number
  readonly requestsPerSecond: number
  /** Answers that were neither 2xx nor 3xx. */
  readonly refused: number
}

const CONNECTIONS = 100

/** Runs the load to its end. It stays a little under the rate by the time that answers take. */
export async function runPacedLoad(load: PacedLoad): Promise<PacedResult> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-load-'))
  const script = join(folder, 'load.lua')
  const pauseMs = (CONNECTIONS * 1_000) / load.requestsPerSecond
  writeFileSync(
    script,
    `local number = 0
     function delay() return math.random(${Math.floor(pauseMs * 0.9)}, ${Math.ceil(pauseMs * 1.1)}) - 1 end
     function request() number = number + 1; return wrk.format('GET', '${load.prefix}' .. number) end`,
  )
  const headers = Object.entries(load.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  try {
    const args = ['-t1', `-c${CONNECTIONS}`, `-d${load.seconds}s`, '-s', script, ...headers, load.url]
    const { stdout } = await promisify(execFile)('wrk', args)
    return {
      requests: Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0),
      requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1] ?? 0),
      refused: Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
