/**
 * Runs the tests: `node tools/test.ts [file or folder …]`, everything by default. Each test file is a process of its
 * own on node's test runner, a few at a time; all of them share one PostgreSQL cluster, a database per test. In a run of
 * everything most of those that start a whole installation begin with a copy of one. Ends with the runner's summary and
 * its exit code.
 *
 * In a run of everything, files that fail are run once more, by themselves, when they are few: what passes then was held
 * up by what ran beside it. They are named at the end, after both outputs (decision 0275).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { PREPARED_INSTALLATION_VARIABLE, startInstallation } from '../test/support/installation.ts'
import { startTestCluster, TEST_DATABASE_VARIABLE } from '../test/support/postgres.ts'
import type { FileResult } from './test-results.ts'

/** Well over what a run takes, also on a machine that is half as fast. */
const RUN_MAX_MS = 1_500_000
/** With more files than this failing it is not the load of the machine. */
const REPEATED_FILES_MAX = 8

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
const scratch = mkdtempSync(join(tmpdir(), 'sallyport-tests-'))
// The last resort: a file that something holds up is ended sooner (see leftovers.ts), and a test by its own timeout.
const overdue = setTimeout(() => {
  console.error(`the tests have not ended after ${RUN_MAX_MS / 60_000} minutes; something keeps running`)
  stop.abort('SIGKILL')
}, RUN_MAX_MS)
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort(signal))

const prepared = wanted.length === 0 ? join(scratch, 'installation') : undefined
if (prepared !== undefined) await prepareInstallation(prepared)

let code = await run(files, 3, 'first')
const failed = results('first').filter((one) => one.failed > 0)
const isRepeated = wanted.length === 0 && failed.length > 0 && failed.length <= REPEATED_FILES_MAX
if (isRepeated && !stop.signal.aborted) {
  console.log(`\nOnce more, each by itself: ${failed.map(({ file }) => relative(root, file)).join(', ')}\n`)
  code = await run(
    failed.map(({ file }) => file),
    1,
    'second',
  )
  summarize(results('first'), results('second'))
}
clearTimeout(overdue)
await cluster?.stop()
rmSync(scratch, { recursive: true, force: true })
process.exit(code)

/** Starts an installation in a folder, and stops it. */
async function prepareInstallation(folder: string): Promise<void> {
  mkdirSync(folder)
  const installation = await startInstallation({ dataDir: folder })
  const code = await installation.stop()
  if (code !== 0) throw new Error(`the installation that is prepared for tests stopped with ${code}`)
}

/** Runs the files, so many at a time; their results stand in a file of the name given. Resolves to the exit code. */
async function run(paths: readonly string[], concurrency: number, name: string): Promise<number> {
  const options = [
    `--test-concurrency=${concurrency}`,
    '--test-timeout=300000',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(import.meta.dirname, 'test-results.ts')}`,
    `--test-reporter-destination=${join(scratch, name)}`,
    '--import',
    join(root, 'test/support/leftovers.ts'),
  ]
  const child = spawn(process.execPath, ['--test', ...options, ...paths], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(scratch, 'compiled'),
      ...(cluster && { [TEST_DATABASE_VARIABLE]: cluster.url }),
      ...(prepared !== undefined && { [PREPARED_INSTALLATION_VARIABLE]: prepared }),
    },
  })
  const end = () => child.kill(stop.signal.reason)
  stop.signal.addEventListener('abort', end)
  const [exitCode] = await once(child, 'exit')
  stop.signal.removeEventListener('abort', end)
  return typeof exitCode === 'number' ? exitCode : 1
}

function results(name: string): FileResult[] {
  const lines = readFileSync(join(scratch, name), 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}

/** Says which files passed at the second attempt only, and how many tests passed and failed in all. */
function summarize(first: readonly FileResult[], second: readonly FileResult[]): void {
  const repeated = new Set(second.map(({ file }) => file))
  const last = [...first.filter(({ file }) => !repeated.has(file)), ...second]
  const count = (key: 'passed' | 'failed') => last.reduce((sum, one) => sum + one[key], 0)
  console.log('')
  for (const one of second)
    if (one.failed === 0) console.log(`unsteady: ${relative(root, one.file)} failed, and passed by itself`)
  console.log(`${count('passed')} passed, ${count('failed')} failed`)
}

function testFiles(path: string): string[] {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const full = join(path, entry.name)
    if (entry.isDirectory())
      return entry.name === 'node_modules' || entry.name === 'dist' ? [] : testFiles(full)
    return /\.test\.tsx?$/.test(entry.name) ? [full] : []
  })
}
