import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type MachineRoom, servingThreads } from '../../../src/roles/threads/serving-threads.ts'

const GIB = 1024 ** 3
type Said = Parameters<typeof servingThreads>[0]
const NOTHING_SAID: Said = {
  gatewayThreads: undefined,
  originConnectionsMax: undefined,
  originConnectionsPerResearcherMax: undefined,
  journalBytesMax: undefined,
}
const room = (changes: Partial<MachineRoom> = {}): MachineRoom => ({
  cores: 64,
  memoryBytes: 64 * GIB,
  sharesPorts: true,
  ...changes,
})
const threadsOf = (said: Partial<Said>, changes?: Partial<MachineRoom>) =>
  servingThreads({ ...NOTHING_SAID, ...said }, room(changes))

test('all cores but one serve, one at least and four at most', () => {
  const byCores = [1, 2, 3, 4, 5, 6, 64].map((cores) => threadsOf({}, { cores }))
  assert.deepEqual(byCores, [1, 1, 2, 3, 4, 4, 4])
})

test('a container of little memory on a large machine has few', () => {
  assert.equal(threadsOf({}, { memoryBytes: GIB / 4 }), 1)
  assert.equal(threadsOf({}, { memoryBytes: 0.75 * GIB }), 3)
  assert.equal(threadsOf({}, { memoryBytes: GIB }), 4)
})

test('a limit that threads would divide into too little keeps them fewer', () => {
  assert.equal(threadsOf({ originConnectionsPerResearcherMax: 6 }), 1)
  assert.equal(threadsOf({ originConnectionsPerResearcherMax: 40 }), 2)
  assert.equal(threadsOf({ originConnectionsMax: 100 }), 1)
  assert.equal(threadsOf({ originConnectionsMax: 512 }), 4)
  assert.equal(threadsOf({ originConnectionsMax: 20, originConnectionsPerResearcherMax: 500 }), 1)
  assert.equal(threadsOf({ journalBytesMax: 200 * 1024 * 1024 }), 3)
})

test('where a port is not shared one serves, and what is said is done', () => {
  assert.equal(threadsOf({}, { sharesPorts: false }), 1)
  assert.equal(threadsOf({ gatewayThreads: 8, originConnectionsMax: 1 }, { cores: 1, sharesPorts: false }), 8)
})

test('whatever a machine says, there is a whole number from one to four', () => {
  const any = fc.oneof(fc.double({ noNaN: true, min: 0 }), fc.nat(), fc.constant(0))
  fc.assert(
    fc.property(
      any,
      fc.nat(4_096),
      fc.option(any, { nil: undefined }),
      (memoryBytes, cores, journalBytesMax) => {
        const threads = servingThreads({ ...NOTHING_SAID, journalBytesMax }, room({ memoryBytes, cores }))
        assert.ok(Number.isInteger(threads) && threads >= 1 && threads <= 4)
      },
    ),
  )
})
