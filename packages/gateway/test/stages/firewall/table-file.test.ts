/** The file of the firewall's tables. */
import assert from 'node:assert/strict'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTableFile } from '../../../src/stages/firewall/table-file.ts'
import { temporaryDirectory } from '../../record/support.ts'

const OTHERS = 0o077
const BYTES = Uint8Array.from({ length: 100_000 }, (_, at) => at)

test('what was written last is read, for the owner alone, and nothing is left beside it', async (context) => {
  const folder = await temporaryDirectory(context)
  const path = join(folder, 'tables')
  const lines: string[] = []
  const file = createTableFile(path, (_, line) => lines.push(line))
  assert.equal(await file.read(), undefined)
  await file.write(BYTES.slice(1))
  await file.write(BYTES)
  assert.deepEqual(await file.read(), BYTES)
  assert.equal(statSync(path).mode & OTHERS, 0)
  assert.deepEqual(readdirSync(folder), ['tables'])
  assert.deepEqual(lines, [])
})

test('what cannot be read or written is a line in the log at most', async (context) => {
  const folder = await temporaryDirectory(context)
  writeFileSync(join(folder, 'file'), '')
  const lines: string[] = []
  const file = createTableFile(join(folder, 'file/tables'), (level, line) => lines.push(`${level}: ${line}`))
  assert.equal(await file.read(), undefined)
  await file.write(BYTES)
  assert.match(lines.join(), /^warn: the firewall's tables cannot be written to .*\/file\/tables/)
})
