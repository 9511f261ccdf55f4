/**
 * PostgreSQL refuses to run as root, and so do we like it: as root its programs run as an ordinary user who owns the
 * cluster's folder and nothing else.
 *
 * That user must also get to the folder and to the programs. Where a folder above them is closed to others (`/root`, a
 * directory of `mktemp -d`), util-linux's `setpriv` gives the programs one ambient capability that lets them pass
 * (capabilities(7)); opening the folder to everyone would be the operator's decision, not ours.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { OperatorError } from '../operator-error.ts'

/** The user and group that a program runs as. */
export interface SystemAccount {
  readonly uid: number
  readonly gid: number
}

/** Accounts that PostgreSQL may run as, the first that the machine has. */
const CANDIDATES = ['sallyport', 'postgres', 'nobody']

// Bits of the capability sets in /proc/self/status: <linux/capability.h>. The first lets a process read and pass every
// folder, the second also write; containers often keep only the second.
const PASSING_CAPABILITIES = [
  { name: 'dac_read_search', bit: 2n },
  { name: 'dac_override', bit: 1n },
]

/**
 * Whom to run PostgreSQL as; nothing when this process is not root and can run it as itself. An existing cluster keeps
 * its owner, so that a later package that brings a `postgres` user does not lock the data out.
 */
export function chooseAccount(clusterDir: string): SystemAccount | undefined {
  if (process.getuid?.() !== 0) return undefined
  const owner = existsSync(clusterDir) ? statSync(clusterDir) : undefined
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of CANDIDATES) {
    const [, , uid, gid] = accounts.find((fields) => fields[0] === name) ?? []
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new OperatorError(
    `PostgreSQL does not run as root, and the machine has none of the users ${CANDIDATES.join(', ')}: create one, or run as an ordinary user`,
  )
}

/** Starts a program as `account`, able to reach every folder of `needed`. */
export function spawnAs(
  account: SystemAccount | undefined,
  command: string,
  args: readonly string[],
  needed: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  if (!account) return spawn(command, args, options)
  const closed = [dirname(command), ...needed].map((path) => closedFolder(path, account)).find(Boolean)
  if (!closed) return spawn(command, args, { ...options, ...account })
  const setpriv = findProgram('setpriv')
  const capability = passingCapability()
  if (!setpriv || !capability)
    throw new OperatorError(
      `PostgreSQL does not run as root, and user ${account.uid} cannot pass ${closed}: chmod a+x it, use another data directory, or run as an ordinary user`,
    )
  const capabilities = `-all,+${capability}`
  const drop = [
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    `--inh-caps=${capabilities}`,
    `--ambient-caps=${capabilities}`,
    '--',
    command,
  ]
  return spawn(setpriv, [...drop, ...args], options)
}

/** The first folder on the way to `path` that `account` may not pass. */
function closedFolder(path: string, account: SystemAccount): string | undefined {
  const parent = dirname(path)
  const above = parent === path ? undefined : closedFolder(parent, account)
  if (above) return above
  const { mode, uid, gid } = statSync(path)
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
  return (mode >> shift) & 1 ? undefined : path
}

function passingCapability(): string | undefined {
  if (!existsSync('/proc/self/status')) return undefined
  const bounding = /^CapBnd:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'
  const set = BigInt(`0x${bounding}`)
  return PASSING_CAPABILITIES.find(({ bit }) => (set >> bit) & 1n)?.name
}

function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/bin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}
