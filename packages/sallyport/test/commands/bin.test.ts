/** The program that `npx sallyport` runs, started in the ways in which people start it. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

const PACKAGE = join(import.meta.dirname, '../..')
const BIN = join(PACKAGE, 'bin/sallyport.js')
const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
const run = promisify(execFile)

const folder = temporaryFolder({ after })

/** A Node of the machine's own that is not the pinned one. */
const otherNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((directory) => join(directory, 'node'))
  .filter((file) => existsSync(file))
  .find((file) => realpathSync(file) !== realpathSync(process.execPath) && majorOf(file) >= 20)

function majorOf(node: string): number {
  return Number(/^v(\d+)/.exec(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout)?.[1])
}

test('npm links the program under the name `sallyport`', () => {
  assert.deepEqual(manifest.bin, { sallyport: 'bin/sallyport.js' })
  const lock = JSON.parse(readFileSync(join(PACKAGE, '../../package-lock.json'), 'utf8'))
  assert.deepEqual(lock.packages['packages/sallyport'].bin, manifest.bin)
})

test('`sallyport --version` answers through a link, from another folder', async () => {
  const link = join(folder, 'sallyport')
  symlinkSync(BIN, link)
  const env = { ...process.env, PATH: `${join(process.execPath, '..')}${delimiter}${process.env.PATH}` }
  const { stdout } = await run(link, ['--version'], { cwd: folder, env })
  assert.equal(stdout, `${manifest.version}\n`)
})

test('another Node hands over to the pinned one', {
  skip: otherNode ? false : 'no other Node here',
}, async () => {
  const { stdout } = await run(otherNode ?? '', [BIN, '--version'], { cwd: folder })
  assert.equal(stdout, `${manifest.version}\n`)
  await assert.rejects(run(otherNode ?? '', [BIN, 'no-such-command'], { cwd: folder }), {
    code: 1,
    stderr: /unknown command 'no-such-command'/,
  })
})

test('where nothing is installed, it says what to run', async () => {
  const copy = join(folder, 'sallyport.mjs')
  copyFileSync(BIN, copy)
  await assert.rejects(run(process.execPath, [copy, '--version'], { cwd: folder }), {
    code: 1,
    stderr: 'sallyport: Node 24 is not installed here: run `npm ci` first\n',
  })
})
