/** Where source files are listed, and where their tests lie. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { notesOnNothing, readPage } from '../../tools/files.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Tests that have the name of a source file elsewhere in their package, with what they are of. */
const NAMESAKES: Readonly<Record<string, string>> = {
  'control/test/features/analytics/operations.test.ts': 'the operations of analytics, through the API',
  'gateway/test/data-plane/own-files.test.ts': 'the files of a running gateway',
  'gateway/test/data-plane/request-headers.test.ts': 'what origins get, through a whole gateway',
}

test('ARCHITECTURE.md lists the source files as they are', () => {
  const { is, should } = readPage(ROOT)
  assert.ok(is === should, 'the index is not up to date: run `node tools/files.ts --write`')
  assert.deepEqual(notesOnNothing(ROOT), [], 'NOTES of tools/files.ts')
})

test('the test of a source file lies in the folder of test that has the name of its folder in src', () => {
  const misplaced = globSync('*/test/**/*.test.ts', { cwd: join(ROOT, 'packages') }).filter((file) => {
    const [name = ''] = file.split('/')
    const places = globSync(`${name}/src/**/${basename(file, '.test.ts')}.{ts,tsx}`, {
      cwd: join(ROOT, 'packages'),
    }).map((source) => dirname(source).replace('/src', '/test'))
    return places.length > 0 && !places.includes(dirname(file))
  })
  assert.deepEqual(misplaced.toSorted(), Object.keys(NAMESAKES).toSorted())
})
