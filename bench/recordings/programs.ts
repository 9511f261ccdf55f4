/** Programs of a recording: installed from npm into a folder, started on a free port of loopback, ended by their handle. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { takesConnections } from '../../test/real-servers/support/programs.ts'
import { bareEnvironment } from '../../test/support/environment.ts'

const START_WAIT_MS = 90_000

/** Installs packages of exact versions, without running their scripts; once a folder and list. */
export function installFromNpm(folder: string, packages: Readonly<Record<string, string>>): string {
  const wanted = JSON.stringify({ private: true, dependencies: packages })
  const list = join(folder, 'package.json')
  mkdirSync(folder, { recursive: true })
  if (existsSync(join(folder, 'installed')) && readFileSync(join(folder, 'installed'), 'utf8') === wanted)
    return folder
  writeFileSync(list, wanted)
  const flags = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...flags], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] })
  writeFileSync(join(folder, 'installed'), wanted)
  return folder
}

/** Those of Debian's packages that are not installed. */
export const missingDebianPackages = (packages: readonly string[]): string[] =>
  packages.filter((name) => {
    try {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own format
      const said = execFileSync('dpkg-query', ['-W', '-f', '${db:Status-Status}', name], { stdio: 'pipe' })
      return String(said) !== 'installed'
    } catch {
      return true
    }
  })

export interface ProgramOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** The port that it listens on once it serves. */
  readonly port: number
}

/** Starts a server, and waits until it listens. What it prints goes to `program.log` in its folder. Gives what ends it. */
export async function startProgram(
  command: string,
  args: readonly string[],
  { cwd, env = {}, port }: ProgramOptions,
): Promise<() => Promise<void>> {
  const log = openSync(join(cwd, 'program.log'), 'a')
  const child = spawn(command, args, {
    cwd,
    env: { ...bareEnvironment, HOME: cwd, LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', log, log],
    detached: true,
  })
  const exited = once(child, 'exit')
  const stop = async (): Promise<void> => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    // Its own process group: servers have workers.
    process.kill(-child.pid, 'SIGTERM')
    const ended = await Promise.race([exited, delay(10_000, undefined, { ref: false })])
    if (ended === undefined) process.kill(-child.pid, 'SIGKILL')
  }
  for (let waited = 0; waited < START_WAIT_MS; waited += 200) {
    if (child.exitCode !== null) throw new Error(`${command} ended; see ${join(cwd, 'program.log')}`)
    if (await takesConnections(port)) return stop
    await delay(200)
  }
  await stop()
  throw new Error(`${command} does not listen; see ${join(cwd, 'program.log')}`)
}
