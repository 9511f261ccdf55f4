/**
 * Runs the tests: `node tools/test.ts [file or folder …]`, everything by default. Each test file is a process of its
 * own on node's test runner, a few at a time; all of them share one PostgreSQL cluster, a database per test. Ends with
 * the runner's summary and its exit code.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startTestCluster, TEST_DATABASE_VARIABLE } from '../test/support/postgres.ts'

/** Well over what a run takes, also on a machine that is half as fast. */
const RUN_MAX_MS = 1_500_000

const root = resolve(import.meta.dirname, '..')
const wanted = process.argv.slice(2)
const files = (wanted.length > 0 ? wanted : ['packages', 'test']).flatMap((path) => testFiles(resolve(path)))
if (files.length === 0) {
  console.error('no test file matches; name a file or a folder')
  process.exit(1)
}

// With the name already set (by hand, to a cluster with the template in it) that cluster is used and left running.
const cluster = process.env[TEST_DATABASE_VARIABLE] ? undefined : await startTestCluster()
// Every file is a process of its own, of which half a second to a second goes into compiling the same sources.
const compiled = mkdtempSync(join(tmpdir(), 'sallyport-compiled-'))
const leftovers = join(root, 'test/support/leftovers.ts')
const options = [
  '--test-concurrency=3',
  '--test-timeout=300000',
  '--test-reporter=spec',
  '--import',
  leftovers,
]
const child = spawn(process.execPath, ['--test', ...options, ...files], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    NODE_COMPILE_CACHE: compiled,
    ...(cluster && { [TEST_DATABASE_VARIABLE]: cluster.url }),
  },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
// The last resort: a file that something holds up is ended sooner (see leftovers.ts), and a test by its own timeout.
const overdue = setTimeout(() => {
  console.error(`the tests have not ended after ${RUN_MAX_MS / 60_000} minutes; something keeps running`)
  child.kill('SIGKILL')
}, RUN_MAX_MS)
const [code] = await once(child, 'exit')
clearTimeout(overdue)
await cluster?.stop()
rmSync(compiled, { recursive: true, force: true })
process.exit(typeof code === 'number' ? code : 1)

function testFiles(path: string): string[] {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const full = join(path, entry.name)
    if (entry.isDirectory())
      return entry.name === 'node_modules' || entry.name === 'dist' ? [] : testFiles(full)
    return /\.test\.tsx?$/.test(entry.name) ? [full] : []
  })
}
