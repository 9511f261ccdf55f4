/**
 * Runs the tests: `node tools/test.ts [file or folder …]`, everything by default. Each test file is a process of its
 * own on node's test runner, a few at a time. Ends with the runner's summary and its exit code.
 */
import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const wanted = process.argv.slice(2)
const files = (wanted.length > 0 ? wanted : ['packages', 'test']).flatMap((path) => testFiles(resolve(path)))
if (files.length === 0) {
  console.error('no test file matches; name a file or a folder')
  process.exit(1)
}

const child = spawn(
  process.execPath,
  ['--test', '--test-concurrency=3', '--test-timeout=300000', '--test-reporter=spec', ...files],
  { cwd: root, stdio: 'inherit' },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
child.on('exit', (code) => process.exit(code ?? 1))

function testFiles(path: string): string[] {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const full = join(path, entry.name)
    if (entry.isDirectory())
      return entry.name === 'node_modules' || entry.name === 'dist' ? [] : testFiles(full)
    return /\.test\.tsx?$/.test(entry.name) ? [full] : []
  })
}
