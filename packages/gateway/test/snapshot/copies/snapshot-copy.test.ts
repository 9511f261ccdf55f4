/** A thread's copy of snapshots against the snapshots themselves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedPut } from '@sallyport/contract'
import fc from 'fast-check'
import { CompiledSnapshot } from '../../../src/snapshot/compile.ts'
import { partsBetween, SnapshotCopy } from '../../../src/snapshot/copies/snapshot-copy.ts'
import { allocateShared } from '../../../src/snapshot/row-blocks.ts'
import { putOf } from '../../support/test-data-plane.ts'
import { sampleResearcher, sampleSite } from '../support.ts'

const IDS = 60

/** As a message brings it: shared memory stays shared, all else is copied. */
function send(copy: SnapshotCopy, before: CompiledSnapshot, after: CompiledSnapshot): void {
  for (const part of partsBetween(before, after)) copy.take(structuredClone(part))
}

function assertSame(copy: SnapshotCopy, snapshot: CompiledSnapshot): void {
  const { current } = copy
  assert.equal(current.revision, snapshot.revision)
  assert.deepEqual(current.installation, snapshot.installation)
  assert.deepEqual(current.ruleSets, snapshot.ruleSets)
  for (let number = 0; number < IDS; number += 1) {
    const [site, researcher] = [`site-${number}`, `researcher-${number}`]
    assert.deepEqual(current.site(site)?.config, snapshot.site(site)?.config)
    assert.deepEqual(current.siteByHost(`${site}.gate.localhost`)?.config, snapshot.site(site)?.config)
    assert.deepEqual(current.researcher(researcher), snapshot.researcher(researcher))
    assert.deepEqual(current.researcherByKeyHash(`hash of ${researcher}`), snapshot.researcher(researcher))
  }
  const briefs = (source: Pick<CompiledSnapshot, 'siteBriefs'>) => [...source.siteBriefs()].flat().length
  assert.equal(briefs(current), briefs(snapshot))
}

test('a copy is what the snapshot is, after any changes, and what requests hold of the one before stays', () => {
  const change = fc.record({
    kind: fc.constantFrom('site' as const, 'researcher' as const),
    number: fc.nat(IDS - 1),
    isRemoved: fc.boolean(),
    // Rows as long as this fill and free blocks.
    length: fc.integer({ min: 0, max: 30_000 }),
  })
  const transaction = fc.record({ full: fc.boolean(), changes: fc.array(change, { maxLength: 40 }) })
  fc.assert(
    fc.property(fc.array(transaction, { maxLength: 6 }), (transactions) => {
      const copy = new SnapshotCopy()
      let sent = CompiledSnapshot.empty()
      let present = CompiledSnapshot.empty(allocateShared)
      for (const [index, { full, changes }] of transactions.entries()) {
        const edit = present.edit(full)
        for (const { kind, number, isRemoved, length } of changes) {
          const id = `${kind}-${number}`
          const text = 'x'.repeat(length)
          if (isRemoved) edit.remove(kind, id)
          else if (kind === 'site')
            edit.put(putOf(feedPut('site', id, sampleSite(id, { instructions: text }))))
          else edit.put(putOf(feedPut('researcher', id, sampleResearcher(id, { name: text }))))
        }
        present = edit.commit(index + 1)
        // A thread that is slow gets several at once.
        if (index % 3 === 1) continue
        const held = copy.current
        const heldSite = held.site('site-1')?.config
        send(copy, sent, present)
        sent = present
        assertSame(copy, present)
        assert.deepEqual(held.site('site-1')?.config, heldSite)
      }
    }),
    { numRuns: 60 },
  )
})

test('a change sends no row again, and no more than the shards that it changed', () => {
  let before = CompiledSnapshot.empty(allocateShared)
  const edit = before.edit(true)
  for (let number = 0; number < 5_000; number += 1)
    edit.put(putOf(feedPut('researcher', `r-${number}`, sampleResearcher(`r-${number}`))))
  before = edit.commit(1)
  const next = before.edit(false)
  next.put(putOf(feedPut('researcher', 'r-7', sampleResearcher('r-7', { paused: true }))))
  const parts = [...partsBetween(before, next.commit(2))]
  const shards = parts.flatMap((part) => (part.kind === 'shards' ? part.shards : []))
  const added = parts.flatMap((part) => (part.kind === 'blocks' ? part.added : []))
  assert.equal(shards.length, 2)
  assert.ok(added.length <= 1)
  assert.ok(
    parts.every(
      (part) =>
        part.kind !== 'blocks' || part.added.every(([, memory]) => memory instanceof SharedArrayBuffer),
    ),
  )
})
