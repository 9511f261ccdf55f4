/** How the dear reads of a turn are shared out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type PausedReader, ReadScheduler, UNITS_A_TURN } from '../../../src/upstream/pool/read-scheduler.ts'

const DEAR = UNITS_A_TURN / 3

/** Reads that cost the same, as long as there is more; each notes whose it was, by turn. */
class Reader implements PausedReader {
  readonly #budget: ReadScheduler
  readonly #who: string
  readonly #units: number
  readonly #log: string[]
  left: number
  /** Whether it would read in the next turn. */
  reads = true

  constructor(budget: ReadScheduler, who: string, units: number, left: number, log: string[]) {
    this.#budget = budget
    this.#who = who
    this.#units = units
    this.left = left
    this.#log = log
  }

  read(): void {
    if (!this.reads || this.left === 0) return
    this.left--
    this.#log.push(this.#who)
    this.reads = this.#budget.spend(this.#who, this.#units, this)
  }
  resumeReading(): void {
    this.reads = true
  }
}

/** Lets all read in every turn, as sockets do, until nothing is left; what was read in each turn. */
async function run(readers: readonly Reader[], log: string[]): Promise<string[][]> {
  const turns: string[][] = []
  while (readers.some(({ left }) => left > 0)) {
    for (const reader of readers) reader.read()
    turns.push(log.splice(0))
    await nextTurn()
    assert.ok(turns.length < 10_000, 'somebody is never served')
  }
  return turns
}

test('of many connections with dear reads only so many read in a turn, and all are served', async () => {
  const budget = new ReadScheduler()
  const log: string[] = []
  const readers = Array.from({ length: 50 }, () => new Reader(budget, 'one', DEAR, 10, log))
  const [first, second, ...turns] = await run(readers, log)
  // What each costs is known after its first read. Two of them had not used the turn up.
  assert.equal(first?.length, 50)
  assert.ok(second && second.length <= 6)
  for (const turn of turns) assert.ok(turn.length <= 4, `${turn.length} reads in a turn`)
})

test('researchers take turns, however many connections one of them has', async () => {
  const budget = new ReadScheduler()
  const log: string[] = []
  const many = Array.from({ length: 50 }, () => new Reader(budget, 'many', DEAR, 10, log))
  const few = new Reader(budget, 'few', DEAR, 30, log)
  const turns = await run([...many, few], log)
  const waited = turns.findLastIndex((turn) => turn.includes('few'))
  assert.ok(waited <= 2 * 30 + 2, `its thirty reads took ${waited} turns beside five hundred`)
})

test('ordinary reads never wait', async () => {
  const budget = new ReadScheduler()
  const log: string[] = []
  const readers = Array.from({ length: 100 }, () => new Reader(budget, 'one', 256, 5, log))
  const turns = await run(readers, log)
  assert.deepEqual(
    turns.map(({ length }) => length),
    [100, 100, 100, 100, 100],
  )
})
