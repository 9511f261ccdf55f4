/**
 * Runs the tests: `node tools/test.ts [file or folder …]`, everything by default. Each test file is a process of its
 * own on node's test runner, a few at a time; all of them share one PostgreSQL cluster, a database per test. In a run of
 * everything most of those that start a whole installation begin with a copy of one. Ends with the runner's summary and
 * its exit code.
 *
 * In a run of everything, files that fail are run once more, by themselves, when they are few: what passes then was held
 * up by what ran beside it. They are named at the end, after both outputs (decision 0275).
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run as runTests } from 'node:test'
import { spec } from 'node:test/reporters'
import { PREPARED_INSTALLATION_VARIABLE, startInstallation } from '../test/support/installation.ts'
import { startTestCluster, TEST_DATABASE_VARIABLE } from '../test/support/postgres.ts'
import { collectResults, type FileResults, failedIn } from './test-results.ts'

/** Well over what a run takes, also on a machine that is half as fast. */
const RUN_MAX_MS = 5_400_000
const TEST_MAX_MS = 300_000
/** Files at once. */
const CONCURRENCY = 3
/** With more files than this failing it is not the load of the machine. */
const REPEATED_FILES_MAX = 8
const SLOWEST_NAMED = 20

const root = resolve(import.meta.dirname, '..')
const wanted = process.argv.slice(2)
// Files of `packages` compute, those of `test` wait for browsers, engines and clocks: side by side they leave no core idle.
const files =
  wanted.length > 0
    ? wanted.flatMap((path) => testFiles(resolve(path)))
    : spread(testFiles(resolve('test')), testFiles(resolve('packages')))
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
  stop.abort(
    new Error(`the tests have not ended after ${RUN_MAX_MS / 60_000} minutes; something keeps running`),
  )
}, RUN_MAX_MS)
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort(new Error(signal)))

const prepared = wanted.length === 0 ? join(scratch, 'installation') : undefined
if (prepared !== undefined) await prepareInstallation(prepared)

const first = await run(files, CONCURRENCY)
let last = first
const failed = failedIn(first)
const isRepeated = wanted.length === 0 && failed.length > 0 && failed.length <= REPEATED_FILES_MAX
if (isRepeated && !stop.signal.aborted) {
  console.log(`\nOnce more, each by itself: ${failed.map((file) => relative(root, file)).join(', ')}\n`)
  last = await run(failed, 1)
  summarize(first, last)
}
if (wanted.length === 0) nameSlowest(first)
clearTimeout(overdue)
await cluster?.stop()
rmSync(scratch, { recursive: true, force: true })
process.exit(stop.signal.aborted || failedIn(last).length > 0 ? 1 : 0)

/** Starts an installation in a folder, and stops it. */
async function prepareInstallation(folder: string): Promise<void> {
  mkdirSync(folder)
  const installation = await startInstallation({ dataDir: folder })
  const code = await installation.stop()
  if (code !== 0) throw new Error(`the installation that is prepared for tests stopped with ${code}`)
}

/** Runs the files in their order, so many at a time. */
async function run(paths: readonly string[], concurrency: number): Promise<FileResults> {
  const events = runTests({
    files: [...paths],
    concurrency,
    timeout: TEST_MAX_MS,
    cwd: root,
    execArgv: ['--import', join(root, 'test/support/leftovers.ts')],
    signal: stop.signal,
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(scratch, 'compiled'),
      ...(cluster && { [TEST_DATABASE_VARIABLE]: cluster.url }),
      ...(prepared !== undefined && { [PREPARED_INSTALLATION_VARIABLE]: prepared }),
    },
  })
  const results = collectResults(events, paths)
  await pipeline(events, spec(), process.stdout, { end: false })
  return results
}

/** Says which files passed at the second attempt only, and how many tests passed and failed in all. */
function summarize(first: FileResults, second: FileResults): void {
  const last = [...new Map([...first, ...second]).values()]
  const count = (key: 'passed' | 'failed') => last.reduce((sum, one) => sum + one[key], 0)
  console.log('')
  for (const one of second.values())
    if (one.failed === 0) console.log(`unsteady: ${relative(root, one.file)} failed, and passed by itself`)
  console.log(`${count('passed')} passed, ${count('failed')} failed`)
}

/** Says which files took longest, for whoever wants the run to be shorter. */
function nameSlowest(results: FileResults): void {
  const slowest = [...results.values()].toSorted((left, right) => right.durationMs - left.durationMs)
  console.log('\nThe files that took longest, in seconds:')
  for (const { file, durationMs } of slowest.slice(0, SLOWEST_NAMED))
    console.log(`${(durationMs / 1_000).toFixed(1).padStart(6)}  ${relative(root, file)}`)
}

/** Both in one list, each in its order and spread evenly over the whole; it begins with the fewer. */
function spread(fewer: readonly string[], more: readonly string[]): string[] {
  const placed = [fewer, more].flatMap((list) =>
    list.map((file, index) => ({ file, place: index / list.length })),
  )
  return placed.toSorted((left, right) => left.place - right.place).map(({ file }) => file)
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
