/** What was half set aside when the disk was full, or the process ended, is set aside again. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { Journal } from '../src/index.ts'

const FACE = join(import.meta.dirname, '../src/index.ts')
const OPTIONS = {
  segmentBytesMax: 2 ** 20,
  totalBytesMax: 2 ** 30,
  whenFull: 'stop',
  meteredPart: 1 / 20,
} as const
/** No file of this process gets larger than so many blocks, of 512 bytes or 1,024: what is written is cut there. */
const OPEN_WITH_LITTLE_ROOM = `ulimit -f 128 && exec "$0" --input-type=module --eval "$1"`

test('damaged bytes that were half written are written again, and then not once more', async (context) => {
  const directory = temporaryFolder(context)
  const noise = randomBytes(2 ** 20)
  writeFileSync(join(directory, '0000000001.journal'), noise)
  const options = JSON.stringify({ ...OPTIONS, directory })
  const script = `import { Journal } from ${JSON.stringify(FACE)}
    const journal = await Journal.open({ ...${options}, isMetered: () => false, log: () => undefined })
    await journal.close()`
  execFileSync('/bin/sh', ['-c', OPEN_WITH_LITTLE_ROOM, process.execPath, script])

  const lines: string[] = []
  for (let opened = 0; opened < 2; opened += 1) {
    const log = (_level: string, line: string): void => void lines.push(line)
    const journal = await Journal.open({ ...OPTIONS, directory, isMetered: () => false, log })
    await journal.close()
  }
  const damaged = join(directory, 'damaged')
  assert.deepEqual(readdirSync(damaged).toSorted(), ['1-0.bytes', '1-0.json'])
  assert.ok(readFileSync(join(damaged, '1-0.bytes')).equals(noise))
  assert.equal(lines.filter((line) => line.includes('set aside')).length, 1, lines.join('\n'))
})
