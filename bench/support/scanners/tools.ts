/** Scanners themselves, where Debian's packages of them are installed: each under the user agent of a browser, as their users hide them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missingDebianPackages } from '../../recordings/programs.ts'
import type { Sample, Seat } from './sample.ts'

/** What a program is told. */
interface Target {
  readonly url: string
  readonly host: string
  readonly key: string
  readonly userAgent: string
  /** Where it may keep something. */
  readonly folder: string
  readonly seconds: number
}

interface Tool {
  /** By the name of its package. */
  readonly program: string
  readonly does: string
  readonly args: (target: Target) => readonly string[]
}

/** Comes with dirb. */
const WORDS = '/usr/share/dirb/wordlists/common.txt'
const keyOf = ({ key }: Target): string => `Sallyport-Key: ${key}`
const agentOf = ({ userAgent }: Target): string => `User-Agent: ${userAgent}`
/** As most programs take headers. */
const headersOf = (to: Target): string[] => ['-H', keyOf(to), '-H', `Host: ${to.host}`]

const TOOLS: readonly Tool[] = [
  {
    program: 'ffuf',
    does: 'directories by a wordlist, as fast as 4 connections go with pauses of 0.1 to 0.5 s',
    args: (to) => [
      ...['-s', '-w', WORDS, '-u', `${to.url}/FUZZ`, '-H', agentOf(to), ...headersOf(to)],
      ...['-t', '4', '-p', '0.1-0.5', '-maxtime', String(to.seconds)],
    ],
  },
  {
    program: 'dirb',
    does: 'directories by a wordlist, one in 0.2 s',
    args: (to) => [`${to.url}/`, WORDS, '-a', to.userAgent, ...headersOf(to), '-S', '-r', '-z', '200'],
  },
  {
    program: 'gobuster',
    does: 'names of an API, 3 connections with pauses of a second',
    args: (to) => [
      ...['dir', '-q', '-u', `${to.url}/api/`, '-w', WORDS, '-a', to.userAgent, ...headersOf(to)],
      ...['-t', '3', '--delay', '1s', '--no-error'],
    ],
  },
  {
    program: 'wfuzz',
    does: 'a parameter by a wordlist, one in 0.3 s',
    args: (to) => [
      ...['-w', WORDS, '-H', agentOf(to), ...headersOf(to), '-t', '1', '-s', '0.3'],
      ...['--hc', '404', `${to.url}/search?q=FUZZ`],
    ],
  },
  {
    program: 'sqlmap',
    does: 'one parameter, one in 0.2 s',
    args: (to) => [
      ...['-u', `${to.url}/search?q=tea`, '--batch', `--user-agent=${to.userAgent}`],
      ...['-H', keyOf(to), `--host=${to.host}`, '--level', '3', '--delay', '0.2'],
      ...['--flush-session', `--output-dir=${to.folder}`],
    ],
  },
  {
    program: 'wapiti',
    does: 'three pages by its modules that ask nobody else',
    args: (to) => [
      ...['-u', `${to.url}/`, '-A', to.userAgent, ...headersOf(to), '--flush-session'],
      ...['-s', `${to.url}/search?q=tea`, '-s', `${to.url}/files?name=terms.txt`],
      ...['-m', 'exec,file,sql,xss,backup,buster', '--max-scan-time', String(to.seconds)],
      ...['--store-session', to.folder, '--no-bugreport', '-o', to.folder, '-v', '0'],
    ],
  },
]

export const TOOL_SAMPLES: readonly Sample[] = TOOLS.filter(
  ({ program }) => missingDebianPackages([program]).length === 0,
).map((tool) => ({
  name: `${tool.program}: ${tool.does}`,
  isScanner: true,
  // sqlmap showed that payloads of one kind alone, sent as calls, stayed below what counts.
  isHeldOut: tool.program !== 'sqlmap',
  run: (seat) => runTool(tool, seat),
}))

/** Lets a program run until it ends, or the time is over. */
async function runTool({ program, args }: Tool, seat: Seat): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `sallyport-${program}-`))
  const milliseconds = Math.max(seat.until - performance.now(), 0)
  const { key, userAgent } = seat
  const given = args({
    url: seat.plainUrl,
    host: seat.hostOf('shop'),
    key,
    userAgent,
    folder,
    seconds: Math.ceil(milliseconds / 1_000),
  })
  const environment = { ...process.env, HOME: folder }
  const child = spawn(program, given, { cwd: folder, env: environment, stdio: 'ignore' })
  const overdue = setTimeout(() => child.kill('SIGKILL'), milliseconds)
  await once(child, 'exit')
  clearTimeout(overdue)
  rmSync(folder, { recursive: true, force: true })
}
