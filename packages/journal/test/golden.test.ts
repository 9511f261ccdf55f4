/** A journal that an earlier version wrote, as it was left when its process was killed, is read as that version read it. */
import assert from 'node:assert/strict'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { Journal, JournalReader } from '../src/index.ts'

const GOLDEN = join(import.meta.dirname, 'golden')
const expected = JSON.parse(readFileSync(join(GOLDEN, 'expected.json'), 'utf8'))

test('the journal of an earlier version is read to the byte', async (context) => {
  const directory = temporaryFolder(context)
  cpSync(GOLDEN, directory, { recursive: true })
  const journal = await Journal.open({
    directory,
    segmentBytesMax: 4_096,
    totalBytesMax: 2 ** 31,
    whenFull: 'stop',
    isMetered: (sender) => sender.includes('"researcherId":""'),
    meteredPart: 1 / 20,
    log: (_level, line) => assert.fail(line),
  })
  const reader = new JournalReader(journal, {
    eventsMax: 20_000,
    senderLine: (number, sender) => `{"sender":${number},${sender}`,
    eventLineStart: (number) => `[${number},`,
  })
  const { acknowledged, interrupted, lastReference, lastSender } = journal.recovered
  const { pending, pendingBytes } = journal.status()
  const resumed = await reader.resume()
  const resumedLines = resumed?.body.toString('utf8').split('\n')
  const rest = await reader.next()
  const restLines = rest.body.toString('utf8').split('\n')
  await reader.close()
  await journal.close()
  assert.deepEqual(
    {
      resumed: { id: resumed?.id, events: resumed?.events, lines: resumedLines },
      rest: { events: rest.events, lines: restLines },
      acknowledged,
      interrupted: interrupted.length,
      lastReference,
      lastSender,
      pending,
      pendingBytes,
      meteredBytes: journal.meteredBytes,
    },
    expected,
  )
})
