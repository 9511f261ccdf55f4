/** Files of a journal that somebody deletes, cuts or puts in its way while it is open: it goes on, and says what that cost. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { Journal, JournalReader } from '../src/index.ts'

const SEGMENT_BYTES = 2_048

/** An open journal, with a reader of it and the lines of its log. */
async function openJournal(context: TestContext, directory = temporaryFolder(context)) {
  const lines: string[] = []
  const journal = await Journal.open({
    directory,
    segmentBytesMax: SEGMENT_BYTES,
    totalBytesMax: 2 ** 30,
    whenFull: 'stop',
    isMetered: () => false,
    meteredPart: 1 / 20,
    log: (level, line) => lines.push(`${level}: ${line}`),
  })
  const reader = new JournalReader(journal, {
    eventsMax: 1_000,
    senderLine: (number, sender) => `s${number}:${sender}`,
    eventLineStart: (number) => `e${number}:`,
  })
  context.after(async () => {
    await reader.close()
    await journal.close()
  })
  const fileOf = (segment: number): string => join(directory, `${String(segment).padStart(10, '0')}.journal`)
  let written = 0
  return {
    ...{ directory, journal, reader, lines, fileOf },
    /** Appends events until `segment` is the one being written. */
    async writeUntil(segment: number): Promise<void> {
      while (journal.end.segment < segment) {
        journal.append('sender', `event ${written}`, `.${'x'.repeat(200)}`)
        written += 1
        await journal.sync()
      }
    },
    /** Reads and acknowledges all there is, and returns the numbers of the events. */
    async send(): Promise<number[]> {
      const { id, body, events, to, from, tallies, closedIntents } = await reader.next()
      const numbers = Array.from(body.toString().matchAll(/:event (\d+)\./g), ([, number]) => Number(number))
      await journal.seal({ id, from, to, events })
      await journal.acknowledge(to, { id, refused: false, tallies, closedIntents })
      reader.carryPinned()
      return numbers
    },
    get written(): number {
      return written
    },
  }
}

const upTo = (end: number, start = 0): number[] =>
  Array.from({ length: end - start }, (_, index) => start + index)

test('the segment being written is deleted: it is put back whole, and nothing is lost', async (context) => {
  const opened = await openJournal(context)
  const { journal, lines, fileOf } = opened
  await opened.writeUntil(2)
  journal.append('sender', 'event 1000', '.')
  await journal.sync()
  rmSync(fileOf(2))
  await opened.writeUntil(4)
  assert.equal(journal.admitting, true)
  assert.deepEqual(
    (await opened.send()).sort((a, b) => a - b),
    [...upTo(opened.written), 1_000],
  )
  assert.match(lines.join('\n'), /^error: [^\n]*0000000002\.journal was deleted[^\n]*$/)
  assert.equal(journal.status().pending, 0)
})

test('it is put back within a second where nothing is written, for a process that comes after a kill', async (context) => {
  const opened = await openJournal(context)
  opened.journal.append('sender', 'event 0', '.')
  await opened.journal.sync()
  const { size } = statSync(opened.fileOf(1))
  rmSync(opened.directory, { recursive: true })
  for (let waited = 0; waited < 5_000 && !existsSync(opened.fileOf(1)); waited += 50) await delay(50)
  const { size: sizeAfter, mode } = statSync(opened.fileOf(1))
  assert.deepEqual([sizeAfter, mode & 0o777], [size, 0o600])
  assert.equal(statSync(opened.directory).mode & 0o777, 0o700)
  assert.deepEqual(await opened.send(), [0])
})

test('a segment that waits is deleted: the others are sent, and what is gone is said', async (context) => {
  const opened = await openJournal(context)
  await opened.writeUntil(2)
  const lost = opened.written
  await opened.writeUntil(3)
  const next = opened.written
  await opened.writeUntil(4)
  const { size } = statSync(opened.fileOf(2))
  rmSync(opened.fileOf(2))
  assert.deepEqual(await opened.send(), [...upTo(lost), ...upTo(opened.written, next)])
  const said = `error: journal segment 2: ${size} bytes from 0 on are gone, because somebody deleted or cut the file; at most ${next - lost} requests are lost with them`
  assert.equal(opened.lines[0], said)
  assert.equal(opened.journal.status().damagedBytes, size)
  assert.equal(opened.journal.status().pending, 0)
  assert.deepEqual(opened.lines.slice(1), [])
})

test('a segment that waits is cut: what stands before the cut is sent, and what follows', async (context) => {
  const opened = await openJournal(context)
  await opened.writeUntil(2)
  const first = opened.written
  await opened.writeUntil(3)
  const next = opened.written
  truncateSync(opened.fileOf(2), 700)
  await opened.writeUntil(4)
  const sent = await opened.send()
  assert.deepEqual(sent, [...upTo(sent.indexOf(next)), ...upTo(opened.written, next)])
  assert.ok(sent.includes(first) && !sent.includes(next - 1))
  assert.match(opened.lines.join('\n'), /journal segment 2: \d+ bytes from 700 on are gone/)
  assert.equal(opened.journal.status().pending, 0)
})

test('the segment being written is emptied: what comes after is sent', async (context) => {
  const opened = await openJournal(context)
  await opened.writeUntil(2)
  opened.journal.append('sender', 'event 1000', '.')
  await opened.journal.sync()
  truncateSync(opened.fileOf(2), 0)
  const before = opened.written
  assert.deepEqual(await opened.send(), upTo(before))
  await opened.writeUntil(4)
  assert.ok((await opened.send()).includes(opened.written - 1))
  assert.match(opened.lines.join('\n'), /journal segment 2: \d+ bytes from 0 on are gone/)
})

test('an end that is gone with its segment does not keep the segment of its beginning for ever', async (context) => {
  const opened = await openJournal(context)
  const { journal } = opened
  await journal.intend('key', 'label', { sender: 'sender', head: 'event 1000', tail: '.interrupted' })
  await opened.writeUntil(2)
  const first = await opened.send()
  // The reader may have the second segment open already, and could read it to its end then.
  await opened.writeUntil(3)
  const before = opened.written
  const intent = journal.endIntent('key')
  assert.ok(intent)
  journal.outcome(intent, '.ended')
  await opened.writeUntil(4)
  rmSync(opened.fileOf(3))
  const next = opened.written
  const sent = first
  for (let segment = 5; segment < 10; segment += 1) {
    await opened.writeUntil(segment)
    sent.push(...(await opened.send()))
  }
  assert.deepEqual(
    sent.sort((a, b) => a - b),
    [...upTo(before), ...upTo(opened.written, next), 1_000],
  )
  assert.equal(existsSync(opened.fileOf(1)), false)
})

test('a file or a folder that has the name of the next segment is stepped over', async (context) => {
  const opened = await openJournal(context)
  mkdirSync(opened.fileOf(2))
  await opened.writeUntil(3)
  assert.equal(opened.journal.admitting, true)
  await opened.writeUntil(4)
  assert.deepEqual(await opened.send(), upTo(opened.written))
})

test('a folder with the name of a segment does not stop the start', async (context) => {
  const directory = temporaryFolder(context)
  mkdirSync(join(directory, '0000000001.journal'))
  const opened = await openJournal(context, directory)
  await opened.writeUntil(3)
  assert.deepEqual(await opened.send(), upTo(opened.written))
})
