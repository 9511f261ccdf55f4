/** What runs the tests fails where a file of them does, however that ends. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../support/temporary-folder.ts'

const RUNNER = resolve(import.meta.dirname, '../../tools/test.ts')
/** By it a process knows that it is one of a run, in which it may begin none. */
const { NODE_TEST_CONTEXT: _, ...env } = process.env

const FILES: readonly (readonly [what: string, isWell: boolean, text: string])[] = [
  ['all pass', true, `test('a', () => {})`],
  ['all are skipped', true, `test.skip('a', () => {})`],
  ['one fails', false, `test('a', () => {}); test('b', () => { throw new Error('b') })`],
  ['its process ends in the middle', false, `test('a', () => process.exit(1))`],
  [
    'one fails, and its process ends before it has summed up',
    false,
    `test('a', () => { throw new Error('a') }); after(() => { setTimeout(() => process.exit(1)); return new Promise(() => {}) })`,
  ],
]

for (const [what, isWell, text] of FILES)
  test(`a file of which ${what}`, (context) => {
    const file = join(temporaryFolder(context), 'given.test.ts')
    writeFileSync(file, `import { after, test } from 'node:test'\n${text}\nvoid after\n`)
    const { status, stdout, stderr } = spawnSync(process.execPath, [RUNNER, file], { env, encoding: 'utf8' })
    assert.equal(status, isWell ? 0 : 1, stdout + stderr)
  })
