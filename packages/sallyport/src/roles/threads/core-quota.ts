/**
 * The quota of processor time that control groups of version 1 give this process. Node counts quotas in what it says of its parallelism, but
 * where both versions are mounted it looks for one in version 2 alone, and the controller of processors is in version 1 there.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the controller is mounted, by itself or with the one that counts. */
const MOUNTS = ['sys/fs/cgroup/cpu', 'sys/fs/cgroup/cpu,cpuacct']

/** Whole cores, at least one; Infinity where there is no such quota. `root` is where the system's files begin. */
export function coreQuota(root = '/'): number {
  const quotas = MOUNTS.flatMap((mount) => groupsOf(root).map((group) => quotaOf(join(root, mount, group))))
  return Math.max(1, Math.floor(Math.min(Infinity, ...quotas)))
}

/** The group of this process and those above it, each of which may have a quota. A container is told the path on its host, and sees its own as the outermost. */
function groupsOf(root: string): string[] {
  const [, path = '/'] =
    /^\d+:(?:[^:\n]*,)?cpu(?:,[^:\n]*)?:(\/.*)$/m.exec(read(join(root, 'proc/self/cgroup'))) ?? []
  const names = path.split('/').filter((name) => name !== '')
  return Array.from({ length: names.length + 1 }, (_, count) => names.slice(0, count).join('/'))
}

function quotaOf(folder: string): number {
  const [quota, period] = ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((name) =>
    Number(read(join(folder, name))),
  )
  // -1 stands for none.
  return quota && period && quota > 0 && period > 0 ? quota / period : Infinity
}

/** Empty where there is none. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
