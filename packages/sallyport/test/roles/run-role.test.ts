/** What is said of a fault that ends a process, by what the operator can do about it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { CANNOT_START } from '../../src/roles/run-role.ts'

const MODULE = join(import.meta.dirname, '../../src/roles/run-role.ts')

/** A process that ends by an error with this code, message and code of its cause. */
function endBy(code: string, message: string, causeCode = '') {
  const script = `
    import { failToStart } from ${JSON.stringify(MODULE)}
    const [code, message, causeCode] = process.argv.slice(1)
    const cause = Object.assign(new Error('cause'), { code: causeCode })
    failToStart(Object.assign(new Error(message, { cause }), { code }))`
  const args = ['--input-type=module-typescript', '-e', script, code, message, causeCode]
  return spawnSync(process.execPath, args, { encoding: 'utf8' })
}

test('a full disk is said as one, with what to do, whoever found it', () => {
  for (const [code, message, causeCode] of [
    ['ENOSPC', 'ENOSPC: no space left on device, write'],
    ['EDQUOT', 'EDQUOT: disk quota exceeded, write'],
    ['243', 'Cannot reserve 1.00 MiB, not enough space. '],
    ['', 'The traffic store could not be opened: no space', '243'],
  ] as const) {
    const { status, stderr } = endBy(code, message, causeCode)
    assert.equal(
      stderr,
      `sallyport: the disk of the data directory, or of ClickHouse, is full (${message.trim()}): make room on it\n`,
    )
    assert.equal(status, CANNOT_START)
  }
})

test('a file that is somebody else’s is named; what the operator cannot mend is thrown', () => {
  const { status, stderr } = endBy('EACCES', "EACCES: permission denied, open '/data/secrets.json'")
  assert.deepEqual(
    [status, stderr],
    [CANNOT_START, "sallyport: EACCES: permission denied, open '/data/secrets.json'\n"],
  )
  const folder = "EISDIR: illegal operation on a directory, open '/data/postgres/server.log'"
  const inPlace = endBy('EISDIR', folder)
  assert.deepEqual([inPlace.status, inPlace.stderr], [CANNOT_START, `sallyport: ${folder}\n`])
  const ours = endBy('ERR_OURS', 'a fault of ours')
  assert.notEqual(ours.status, CANNOT_START)
  assert.match(ours.stderr, /Error: a fault of ours\n +at /)
})
