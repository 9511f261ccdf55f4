import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { keepPrivateText, writePrivateText, writeWhole } from '../src/private-file.ts'
import { ENDING_SIGNALS } from '../src/roles/run-role.ts'

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

test('a full disk is said of a small file that is kept, too, which is kept once there is room', (context) => {
  const file = join(temporaryFolder(context), 'id')
  const full = context.mock.method(fs, 'writeFileSync', () => {
    // As the system says it: without the file.
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  })
  syncBuiltinESMExports()
  const expected = {
    name: 'OperatorError',
    message: `${file} cannot be written (ENOSPC): make room on its disk`,
  }
  try {
    assert.throws(() => writePrivateText(file, 'text'), expected)
    assert.throws(() => keepPrivateText(file, () => 'made'), expected)
  } finally {
    full.mock.restore()
    syncBuiltinESMExports()
  }
  assert.equal(
    keepPrivateText(file, () => 'made'),
    'made',
  )
})

test('who is told to end, and once more while it ends, leaves nothing beside the file', async (context) => {
  const folder = temporaryFolder(context)
  const script = join(import.meta.dirname, 'support/unfinished-process.ts')
  for (const [signal, status] of ENDING_SIGNALS) {
    const child = spawn(process.execPath, [script, join(folder, 'file')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    assert.equal(readdirSync(folder).length, 1)
    child.kill(signal)
    assert.deepEqual(await once(child, 'exit'), [status, null])
    assert.deepEqual(readdirSync(folder), [])
  }
})

test('what one that was killed has left goes a day later, and nothing else of the folder', async (context) => {
  const folder = temporaryFolder(context)
  const dayAgo = Date.now() / 1_000 - 86_400 - 60
  for (const name of [
    'old.0123abcd.unfinished',
    'old.unfinished',
    'old.0123abcd.unfinished.txt',
    'young.0123abcd.unfinished',
  ]) {
    writeFileSync(join(folder, name), '')
    if (!name.startsWith('young')) utimesSync(join(folder, name), dayAgo, dayAgo)
  }
  await writeWhole(join(folder, 'file'), (unfinished) => appendFile(unfinished, 'whole'))
  assert.deepEqual(readdirSync(folder).toSorted(), [
    'file',
    'old.0123abcd.unfinished.txt',
    'old.unfinished',
    'young.0123abcd.unfinished',
  ])
})
