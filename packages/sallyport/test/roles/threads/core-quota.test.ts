import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { coreQuota } from '../../../src/roles/threads/core-quota.ts'

const MODULE = join(import.meta.dirname, '../../../src/roles/threads/core-quota.ts')
const V1 = '/sys/fs/cgroup/cpu'
const V2 = '/sys/fs/cgroup'

/** A root with these files of the system. */
function rootWith(context: TestContext, files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder(context)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const quota = (folder: string, value: string, period = '100000\n') => ({
  [`sys/fs/cgroup/${folder}/cpu.cfs_quota_us`]: value,
  [`sys/fs/cgroup/${folder}/cpu.cfs_period_us`]: period,
})

test('the least quota of the group of this process and those above it counts, in whole cores', (context) => {
  const mine = '3:cpuset:/other\n2:cpu,cpuacct:/slice/unit\n0::/\n'
  const of = (files: Readonly<Record<string, string>>, group = mine) =>
    coreQuota(rootWith(context, { 'proc/self/cgroup': group, ...files }))
  assert.equal(of({}), Infinity)
  assert.equal(of(quota('cpu,cpuacct/slice/unit', '-1\n')), Infinity)
  assert.equal(of(quota('cpu,cpuacct/slice/unit', '250000\n')), 2)
  assert.equal(of(quota('cpu/slice/unit', '50000\n')), 1)
  assert.equal(of({ ...quota('cpu/slice/unit', '400000\n'), ...quota('cpu/slice', '300000\n') }), 3)
  assert.equal(of(quota('cpu/other', '100000\n')), Infinity)
  // In a container: the path is that of the host, and what is mounted begins with its own.
  assert.equal(of(quota('cpu', '200000\n'), '5:cpu:/docker/0123abcd\n'), 2)
  assert.equal(of(quota('cpu', '200000\n'), ''), 2)
})

test('whatever stands in these files, there is at least one core', (context) => {
  const text = fc.oneof(fc.string(), fc.integer().map(String), fc.constantFrom('max', '0', '', '1e9'))
  fc.assert(
    fc.property(text, text, fc.string(), (value, period, group) => {
      const root = rootWith(context, {
        'proc/self/cgroup': `1:cpu:/${group}`,
        ...quota('cpu', value, period),
      })
      assert.ok(coreQuota(root) >= 1)
    }),
    { numRuns: 30 },
  )
})

/** Makes a control group with a quota of one core, of either version; null where this process may not. */
function groupOfOneCore(): string | null {
  const isFirst = existsSync(join(V1, 'tasks'))
  const folder = join(isFirst ? V1 : V2, `sallyport-test-${process.pid}`)
  try {
    mkdirSync(folder)
  } catch {
    return null
  }
  try {
    if (isFirst) writeFileSync(join(folder, 'cpu.cfs_quota_us'), '100000')
    else writeFileSync(join(folder, 'cpu.max'), '100000 100000')
    return folder
  } catch {
    rmdirSync(folder)
    return null
  }
}

test('a process in a group with a quota of one core has one, however many the machine has', (context) => {
  const folder = availableParallelism() > 1 ? groupOfOneCore() : null
  if (!folder) return context.skip('needs two cores, and a control group that may be made')
  context.after(() => rmdirSync(folder))
  const asked = `import { availableParallelism } from 'node:os'
    import { coreQuota } from ${JSON.stringify(MODULE)}
    console.log(Math.min(availableParallelism(), coreQuota()))`
  const program = `echo $$ > ${folder}/cgroup.procs && exec "$0" --input-type=module --eval "$1"`
  const said = execFileSync('sh', ['-c', program, process.execPath, asked], { encoding: 'utf8' })
  assert.equal(said.trim(), '1')
})
