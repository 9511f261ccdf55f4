/** The programs that the benchmarks run beside ours: nginx and wrk, from the system's packages. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

/** Ends the benchmark with one line when a program is not installed. */
export function requirePrograms(...names: string[]): void {
  const missing = names.filter((name) => {
    try {
      execFileSync('which', [name], { stdio: 'ignore' })
      return false
    } catch {
      return true
    }
  })
  if (missing.length === 0) return
  console.error(`This benchmark needs ${missing.join(' and ')}: apt-get install ${missing.join(' ')}`)
  process.exit(1)
}

/** Keeps a process, and what it starts from now on, to the machine's first core. */
export function keepToFirstCore(pid: number): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '0', String(pid)], { stdio: 'ignore' })
}

export interface Nginx {
  /** The worker, which does the work, or the parent of several. */
  readonly pid: number
  stop(): Promise<void>
}

/**
 * Starts nginx, with one worker unless given, which is the process itself; several are its children. `http` is what stands in the
 * configuration's http block, `main` what stands before it.
 */
export async function startNginx(http: string, main = '', workers = 1): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-nginx-'))
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${main}
     ${workers > 1 ? `worker_processes ${workers};` : 'master_process off;'}
     daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
     events { worker_connections 4096; }
     http {
       access_log off; keepalive_requests 1000000000; keepalive_timeout 300s;
       ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
       ${http}
     }`,
  )
  const child: ChildProcess = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await delay(300)
  if (child.pid === undefined || child.exitCode !== null) throw new Error('nginx did not start')
  return {
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface WrkResult {
  readonly requests: number
  readonly requestsPerSecond: number
  readonly refused: number
  /** Time within which 99 of 100 requests were answered, milliseconds. */
  readonly p99Ms: number
}

/** Runs wrk with one thread. Throws when requests failed on the socket. */
export async function runWrk(
  url: string,
  headers: Readonly<Record<string, string>>,
  options: { readonly connections: number; readonly seconds: number },
): Promise<WrkResult> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const { stdout } = await promisify(execFile)('wrk', [
    '-t1',
    '--latency',
    `-c${options.connections}`,
    `-d${options.seconds}s`,
    ...given,
    url,
  ])
  const errors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(stdout)
  if (errors) throw new Error(`wrk met socket errors:\n${stdout}`)
  return {
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0),
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1] ?? 0),
    p99Ms: milliseconds(/99%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
    refused: Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0),
  }
}

/** wrk writes `1.23ms`, `456.00us` or `1.02s`. */
function milliseconds(found: RegExpExecArray | null): number {
  const value = Number(found?.[1] ?? Number.NaN)
  const unit = found?.[2]
  return unit === 'us' ? value / 1000 : unit === 's' ? value * 1000 : value
}
