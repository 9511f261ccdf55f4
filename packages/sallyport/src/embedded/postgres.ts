/**
 * PostgreSQL as a child process, on a folder of its own:
 *
 *     <directory>/cluster           the cluster, owned by whoever the server runs as
 *     <directory>/credentials.json  the passwords of its roles, made at the first start, mode 0600
 *     <directory>/server.log        what the server says
 *     <directory>/socket            its Unix socket, the only way in: no port is opened
 *
 * A start that was killed half-way leaves nothing that the next one cannot mend: the cluster is made under another
 * name and renamed when whole, roles are made again until they were made once, and a server that outlived its
 * supervisor is stopped first.
 */
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError, systemErrorCode } from '../operator-error.ts'
import { readOwnFile, writePrivateJson } from '../private-file.ts'
import { findPostgresPrograms, type PostgresPrograms } from './postgres-programs.ts'
import {
  APP_ROLE,
  DATABASE,
  OWNER_ROLE,
  prepareRoles,
  type RolePasswords,
  SUPERUSER,
} from './postgres-roles.ts'
import { endStalePostmaster, isReady, makeTemporarySocketDir, socketDirOfRunning } from './postmaster.ts'
import { chooseAccount, type SystemAccount, spawnAs } from './unprivileged.ts'

export interface PostgresOptions {
  /** Folder of the server, made when absent. */
  readonly directory: string
  /** Server settings beyond ours, by name. */
  readonly settings?: Readonly<Record<string, string>>
  /** Takes a line for the operator now and then while the server is not ready, as after a crash when it replays its log. */
  readonly report?: (line: string) => void
  /** Ends a server that is not ready yet; the start is rejected then. */
  readonly signal?: AbortSignal
  /** Folder of the socket, as `choosePlace` says; chosen anew unless given. */
  readonly socketDir?: string
}

/** How to reach a server. */
export interface PostgresUrls {
  /** URL for the role that migrates. */
  readonly ownerUrl: string
  /** URL for the role that the application uses. */
  readonly appUrl: string
  /** URL for the superuser, for making databases. */
  readonly superuserUrl: string
}

/** A running server. */
export interface EmbeddedPostgres extends PostgresUrls {
  readonly pid: number
  /** Resolves when the server has ended, asked to or not. */
  readonly exited: Promise<void>
  /** Ends connections, writes a checkpoint and stops. */
  stop(): Promise<void>
}

const READY_LOOK_MS = 10
const REPORT_INTERVAL_MS = 10_000
const LOG_BYTES_MAX = 8 * 1024 * 1024
/** sun_path is 104 bytes on the smallest system; the server's socket adds `/.s.PGSQL.5432`. */
const SOCKET_DIR_BYTES_MAX = 85

/**
 * Where a server in `directory` is going to be reached, before it runs. Makes the directory and the passwords where they are
 * missing.
 */
export function choosePlace(directory: string): PostgresUrls & { readonly socketDir: string } {
  const place = resolve(directory)
  mkdirSync(place, { recursive: true })
  const socketDir = chooseSocketDir(place)
  return { ...describeUrls(readPasswords(place), socketDir), socketDir }
}

/** Starts the server, making the cluster, the roles and the database on the first start. */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const directory = resolve(options.directory)
  const clusterDir = join(directory, 'cluster')
  const programs = findPostgresPrograms()
  mkdirSync(directory, { recursive: true })
  const account = chooseAccount(clusterDir)
  // The server's user must pass this folder to its own; everything else in it is closed to others.
  chmodSync(directory, account ? 0o711 : 0o700)
  await endStalePostmaster(clusterDir)
  const passwords = readPasswords(directory)
  if (!existsSync(clusterDir)) await makeCluster(directory, programs, account, passwords, options.signal)

  const socketDir = options.socketDir ?? chooseSocketDir(directory)
  makeSocketDir(socketDir, account)
  const { child, log } = launch(directory, programs, account, socketDir, options.settings ?? {})
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  await untilReady(child, directory, log, options)

  const urls = describeUrls(passwords, socketDir)
  if (!isPrepared(directory)) {
    await prepareRoles(urls.superuserUrl, passwords)
    writeFileSync(preparedFile(directory), '')
  }
  return {
    ...urls,
    pid: child.pid ?? 0,
    exited,
    stop: async () => {
      child.kill('SIGINT')
      await exited
      if (!socketDir.startsWith(directory)) rmSync(socketDir, { recursive: true, force: true })
    },
  }
}

/** Whether a cluster was made in `directory`. */
export const hasCluster = (directory: string): boolean => existsSync(join(directory, 'cluster'))

/** Says that a cluster has its roles and its database. */
const preparedFile = (directory: string): string => join(directory, 'prepared')
const isPrepared = (directory: string): boolean => existsSync(preparedFile(directory))

/**
 * How to reach the server that another process of ours runs in `directory`; nothing where none does. One without its roles, which a
 * process that was killed on its first start has left, lets nobody in: whoever starts one takes over from it.
 */
export function findRunningPostgres(directory: string): PostgresUrls | undefined {
  if (!isPrepared(resolve(directory))) return undefined
  const socketDir = socketDirOfRunning(join(resolve(directory), 'cluster'))
  return socketDir === undefined ? undefined : describeUrls(readPasswords(resolve(directory)), socketDir)
}

function describeUrls(passwords: RolePasswords, socketDir: string): PostgresUrls {
  const url = (role: string, password: string, database: string) =>
    `postgres://${role}:${password}@localhost/${database}?host=${encodeURIComponent(socketDir)}`
  return {
    superuserUrl: url(SUPERUSER, passwords.superuser, 'postgres'),
    ownerUrl: url(OWNER_ROLE, passwords.owner, DATABASE),
    appUrl: url(APP_ROLE, passwords.app, DATABASE),
  }
}

/** Made where there is no cluster yet: one that is there has its own, and lets nobody in with others. */
function readPasswords(directory: string): RolePasswords {
  const file = join(directory, 'credentials.json')
  if (!hasCluster(directory) && !isWhole(parsePasswords(file))) {
    const password = () => randomBytes(24).toString('base64url')
    writePrivateJson(file, { superuser: password(), owner: password(), app: password() })
  }
  const passwords = parsePasswords(file)
  if (!isWhole(passwords))
    throw new OperatorError(
      `${file}, with the passwords of ${join(directory, 'cluster')}, is ${existsSync(file) ? 'damaged' : 'missing'}: put it back, or restore a backup into a new data directory`,
    )
  return passwords
}

const isWhole = (passwords: Partial<RolePasswords>): passwords is RolePasswords =>
  Boolean(passwords.superuser && passwords.owner && passwords.app)

/** Nothing of a file that is missing or damaged. */
function parsePasswords(file: string): Partial<RolePasswords> {
  if (!existsSync(file)) return {}
  const text = readOwnFile(file)
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

/** Each attempt has a folder of its own: `initdb` outlives a supervisor that is killed, and goes on writing for a while. */
const MAKING = 'making'

async function makeCluster(
  directory: string,
  programs: PostgresPrograms,
  account: SystemAccount | undefined,
  passwords: RolePasswords,
  signal: AbortSignal | undefined,
): Promise<void> {
  removeUnfinished(directory)
  const making = mkdtempSync(join(directory, `${MAKING}-`))
  const passwordFile = join(making, 'password')
  const unfinished = join(making, 'cluster')
  writeFileSync(passwordFile, passwords.superuser, { mode: 0o600 })
  if (account) for (const path of [making, passwordFile]) chownSync(path, account.uid, account.gid)
  // The built-in C.UTF-8 sorts the same on every machine, so a cluster may be moved between them.
  const args = ['-D', unfinished, '-U', SUPERUSER, '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  const locale = ['--encoding=UTF8', '--no-locale', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const child = spawnAs(account, programs.initdb, [...args, ...locale], [making], {
    cwd: '/',
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const release = endWithUs(child, 'SIGTERM')
  const end = (): void => void child.kill('SIGTERM')
  signal?.addEventListener('abort', end)
  if (signal?.aborted) end()
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint += chunk.toString()
  })
  const [code] = await once(child, 'close').finally(() => {
    release()
    signal?.removeEventListener('abort', end)
  })
  if (code === 0) renameSync(unfinished, join(directory, 'cluster'))
  removeUnfinished(directory)
  if (code !== 0)
    throw new OperatorError(`PostgreSQL could not make its cluster in ${directory}: ${oneLine(complaint)}`)
}

/** Removes what attempts left. What is still written to stays, and goes when the cluster is made or at the next attempt. */
function removeUnfinished(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(MAKING)) continue
    try {
      rmSync(join(directory, name), { recursive: true, force: true })
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOTEMPTY') throw error
    }
  }
}

/** A program may not outlive a supervisor that ends while it starts. The returned function takes that back. */
function endWithUs(child: ChildProcess, signal: NodeJS.Signals): () => void {
  const end = (): void => void child.kill(signal)
  process.once('exit', end)
  return () => process.off('exit', end)
}

function chooseSocketDir(directory: string): string {
  const socketDir = join(directory, 'socket')
  const isShort = Buffer.byteLength(socketDir) <= SOCKET_DIR_BYTES_MAX
  return isShort ? socketDir : makeTemporarySocketDir()
}

function makeSocketDir(socketDir: string, account: SystemAccount | undefined): void {
  // A server that was killed leaves its socket's lock file, which a process with its id would make good again.
  rmSync(socketDir, { recursive: true, force: true })
  mkdirSync(socketDir, { mode: 0o700 })
  if (account) chownSync(socketDir, account.uid, account.gid)
}

/** What a server says, after what those before it have said. */
interface ServerLog {
  readonly file: string
  readonly fromByte: number
}

function launch(
  directory: string,
  programs: PostgresPrograms,
  account: SystemAccount | undefined,
  socketDir: string,
  settings: Readonly<Record<string, string>>,
): { readonly child: ChildProcess; readonly log: ServerLog } {
  const clusterDir = join(directory, 'cluster')
  const all = {
    listen_addresses: '',
    // A list: a comma in one would divide it.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    password_encryption: 'scram-sha-256',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
  }
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const file = join(directory, 'server.log')
  if (existsSync(file) && statSync(file).size > LOG_BYTES_MAX) renameSync(file, `${file}.1`)
  const output = openSync(file, 'a', 0o600)
  const log = { file, fromByte: fstatSync(output).size }
  try {
    // A session of its own: Ctrl-C in a terminal must reach the supervisor alone, which stops things in order.
    const child = spawnAs(account, programs.postgres, ['-D', clusterDir, ...args], [clusterDir, socketDir], {
      cwd: '/',
      env: environment(),
      stdio: ['ignore', output, output],
      detached: true,
    })
    child.once('exit', endWithUs(child, 'SIGINT'))
    return { child, log }
  } finally {
    closeSync(output)
  }
}

/**
 * For as long as the server lives: it either gets ready or ends and says why. After a crash it replays its log first, and
 * one that is killed meanwhile begins anew.
 */
async function untilReady(
  child: ChildProcess,
  directory: string,
  log: ServerLog,
  { report, signal }: Pick<PostgresOptions, 'report' | 'signal'>,
): Promise<void> {
  const failed = once(child, 'error').then(([error]) => Promise.reject(error))
  failed.catch(() => undefined)
  for (let waited = 0; child.exitCode === null && child.signalCode === null; waited += READY_LOOK_MS) {
    if (isReady(join(directory, 'cluster'), child.pid)) return
    if (signal?.aborted) child.kill('SIGINT')
    else if (waited > 0 && waited % REPORT_INTERVAL_MS === 0)
      report?.(`PostgreSQL is not ready yet: ${lastWords(log, /LOG/) ?? 'it says nothing'}`)
    await Promise.race([delay(READY_LOOK_MS), failed])
  }
  // Without its configuration it does not say how severe that is.
  const reason = lastWords(log, /FATAL|PANIC|ERROR/) ?? lastWords(log, /\S/) ?? 'no reason given'
  throw new OperatorError(`PostgreSQL did not start: ${reason} (more in ${log.file})`)
}

/** The last line of that kind that the server has said. */
const lastWords = ({ file, fromByte }: ServerLog, kind: RegExp): string | undefined =>
  readFileSync(file)
    .subarray(fromByte)
    .toString()
    .split('\n')
    .findLast((line) => kind.test(line))

/** What the programs need and no more: the supervisor's environment may hold secrets. */
const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env.PATH, LC_ALL: 'C' })

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ')
