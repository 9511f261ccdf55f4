import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { writeWhole } from '../src/private-file.ts'

test('of two who write the same file at once neither has a half of the other', async (context) => {
  const folder = temporaryFolder(context)
  const file = join(folder, 'file')
  writeFileSync(file, 'before')
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = writeWhole(file, async (unfinished) => {
    await appendFile(unfinished, 'first ')
    begun.resolve()
    await ended.promise
    await appendFile(unfinished, 'half, second half')
  })
  await begun.promise
  assert.equal(readFileSync(file, 'utf8'), 'before')
  await writeWhole(file, (unfinished) => appendFile(unfinished, 'whole'))
  assert.equal(readFileSync(file, 'utf8'), 'whole')
  ended.resolve()
  await slow
  assert.equal(readFileSync(file, 'utf8'), 'first half, second half')
  assert.deepEqual(readdirSync(folder), ['file'])
})

test('what was not finished leaves what was there, and nothing beside it', async (context) => {
  const folder = temporaryFolder(context)
  const file = join(folder, 'file')
  writeFileSync(file, 'before')
  const failing = writeWhole(file, async (unfinished) => {
    await appendFile(unfinished, 'half')
    throw new Error('no more room')
  })
  await assert.rejects(failing, /no more room/)
  assert.equal(readFileSync(file, 'utf8'), 'before')
  assert.deepEqual(readdirSync(folder), ['file'])
})

test('a full disk is said of the file, with what to do', async (context) => {
  const folder = temporaryFolder(context)
  const file = join(folder, 'file')
  await assert.rejects(
    writeWhole(file, () => appendFile('/dev/full', 'text')),
    {
      name: 'OperatorError',
      message: `${file} cannot be written (ENOSPC): make room on its disk, or name a file elsewhere`,
    },
  )
})
