/**
 * What the journal costs by itself: processor time (user and system, all threads) for each event that is intended, ended,
 * read back into a batch and acknowledged, with texts as long as those of a request. `recording` has the rest of the way.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Journal, JournalReader } from '@sallyport/journal'

const EVENTS = 200_000
/** Events that begin in one turn of the event loop: few on an idle gateway, many on a busy one. */
const PER_TURN = [1, 4, 16, 32]
const SENDER = '"a text of a sender":"'.padEnd(420, 'x')
const HEAD = '"01999999-9999-7999-8999-000000000001","request",1790000000000,'.padEnd(170, 'x')
const TAIL = ',200,"origin",0,1234,1500,1000,"full"]'

const directory = mkdtempSync(join(tmpdir(), 'sallyport-bench-journal-'))
const journal = await Journal.open({
  directory,
  segmentBytesMax: 16 * 1024 * 1024,
  totalBytesMax: 2 ** 31,
  whenFull: 'stop',
  isMetered: () => false,
  meteredPart: 1 / 20,
  log: (level, line) => console.error(level, line),
})
const reader = new JournalReader(journal, {
  eventsMax: 20_000,
  senderLine: (number, sender) => `{"sender":${number},${sender}`,
  eventLineStart: (number) => `[${number},`,
})

async function acknowledgeAll(): Promise<void> {
  const { id, from, to, events, tallies, closedIntents } = await reader.next()
  await journal.seal({ id, from, to, events })
  await journal.acknowledge(to, { id, refused: false, tallies, closedIntents })
}

async function measure(perTurn: number): Promise<number> {
  const before = process.cpuUsage()
  for (let done = 0; done < EVENTS; done += perTurn) {
    const keys = Array.from({ length: perTurn }, (_, index) => `event ${done + index}`)
    const intent = { sender: SENDER, head: HEAD, tail: TAIL }
    await Promise.all(keys.map((key) => journal.intend(key, 'request', intent)))
    for (const key of keys) {
      const open = journal.endIntent(key)
      if (open) journal.outcome(open, TAIL)
    }
    await nextTurn()
    if (done % 10_000 < perTurn) await acknowledgeAll()
  }
  await journal.sync()
  while (journal.status().pending > 0) await acknowledgeAll()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / EVENTS
}

await measure(16)
for (const perTurn of PER_TURN)
  console.log(
    `${String(perTurn).padStart(3)} events a turn: ${(await measure(perTurn)).toFixed(2)} µs an event`,
  )
await reader.close()
await journal.close()
rmSync(directory, { recursive: true, force: true })
