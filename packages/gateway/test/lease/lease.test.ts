/** The lease on two clocks, and what is left of it after a restart. */
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type FeedPut, feedPut } from '@sallyport/contract'
import { Lease, type Moment } from '../../src/lease/lease.ts'
import { LeaseFile } from '../../src/lease/lease-file.ts'
import { temporaryDirectory } from '../record/support.ts'
import { TestSnapshots } from '../support/test-data-plane.ts'

const START = { monotonicMs: 5_000, wallMs: 1_700_000_000_000 }

/** Clocks that a test moves, each by itself. */
function handClocks() {
  let now: Moment = START
  const move = (monotonicMs: number, wallMs = monotonicMs): void => {
    now = { monotonicMs: now.monotonicMs + monotonicMs, wallMs: now.wallMs + wallMs }
  }
  return { read: () => now, move }
}

const organization = (id: string, leaseMs?: number | null): FeedPut =>
  feedPut('organization', id, { id, name: id, open: true, ...(leaseMs !== undefined && { leaseMs }) })

test('each organization has its own lease, from the sending of the challenge', () => {
  const clocks = handClocks()
  const lease = new Lease(clocks.read)
  const snapshots = new TestSnapshots()
  snapshots.apply(
    organization('short', 10_000),
    organization('long', 60_000),
    organization('ever', null),
    organization('old'),
  )
  const over = () => ['short', 'long', 'ever', 'old'].filter((id) => lease.isOver(snapshots.current, id))
  assert.deepEqual(over(), ['short', 'long'], 'nothing was ever vouched for')
  const sentAt = lease.now()
  clocks.move(4_000)
  lease.vouchedAt(sentAt)
  assert.deepEqual(over(), [])
  clocks.move(5_999)
  assert.deepEqual(over(), [])
  clocks.move(1)
  assert.deepEqual(over(), ['short'])
  clocks.move(50_000)
  assert.deepEqual(over(), ['short', 'long'])
})

test('an answer to an earlier challenge that comes late takes nothing back', () => {
  const clocks = handClocks()
  const lease = new Lease(clocks.read)
  const early = lease.now()
  clocks.move(3_000)
  const late = lease.now()
  lease.vouchedAt(late)
  lease.vouchedAt(early)
  assert.equal(lease.ageMs, 0)
})

test('a suspension shortens the lease, and a wall clock that is set back does not lengthen it', () => {
  const clocks = handClocks()
  const lease = new Lease(clocks.read)
  lease.vouchedAt(lease.now())
  clocks.move(1_000, 90_000)
  assert.equal(lease.ageMs, 90_000)
  lease.vouchedAt(lease.now())
  clocks.move(30_000, -3_600_000)
  assert.equal(lease.ageMs, 30_000)
})

test('after a restart there is never more left than there was', async (context) => {
  const path = join(await temporaryDirectory(context), 'lease.json')
  const log = (_level: string, line: string) => assert.fail(line)
  const clocks = handClocks()
  const lease = new Lease(clocks.read)
  lease.vouchedAt(lease.now())
  clocks.move(7_000)
  const file = await LeaseFile.open(path, log)
  file.keep(lease)
  await file.flushed()
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const ageAfter = async (monotonicMs: number, wallMs: number): Promise<number> => {
    const { read, move } = handClocks()
    move(monotonicMs, wallMs)
    const restored = new Lease(read)
    await (await LeaseFile.open(path, log)).restore(restored)
    return restored.ageMs
  }
  assert.equal(await ageAfter(-4_000, 27_000), 27_000, 'twenty seconds later, in a new process')
  assert.equal(await ageAfter(0, -1), Number.POSITIVE_INFINITY, 'the clock stands before what was written')
  // The machine has been up for an hour since, whatever its wall clock says.
  const written = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...written, uptimeMs: written.uptimeMs - 3_600_000 }))
  const longAgo = await ageAfter(0, 8_000)
  assert.ok(longAgo >= 3_600_000 || written.bootId === '', String(longAgo))
  for (const damaged of ['', '{', '[]', 'null', '{"wallMs":"1"}']) {
    writeFileSync(path, damaged)
    assert.equal(await ageAfter(0, 8_000), Number.POSITIVE_INFINITY, damaged)
  }
})
