import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ClosureScope } from '@sallyport/contract'
import fc from 'fast-check'
import { Closures } from '../../src/closures/closures.ts'
import { temporaryDirectory } from '../record/support.ts'

const quiet = (): void => undefined
const EVERYTHING: ClosureScope = { kind: 'everything', id: '' }

const scope: fc.Arbitrary<ClosureScope> = fc.oneof(
  fc.constant(EVERYTHING),
  fc.record({ kind: fc.constantFrom('site' as const, 'researcher' as const), id: fc.constantFrom('a', 'b') }),
)
const step = fc.oneof(
  fc.record({ act: fc.constantFrom('close' as const, 'open' as const), scope }),
  fc.constant('restart' as const),
)
const nameOf = ({ kind, id }: ClosureScope): string => `${kind}/${id}`

/** Whether what is closed is what the model says, for everybody. */
function assertClosed(closures: Closures, model: ReadonlySet<string>): void {
  for (const siteId of ['', 'a', 'b'])
    for (const researcherId of ['', 'a', 'b'])
      assert.equal(
        closures.isClosed({ siteId, researcherId }),
        ['everything/', `site/${siteId}`, `researcher/${researcherId}`].some((name) => model.has(name)),
      )
}

test('what was closed stays closed until it is opened, across restarts, and each act is kept to be reported', async (context) => {
  let run = 0
  const directory = await temporaryDirectory(context)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const path = join(directory, `${run++}.json`)
      let closures = await Closures.open(path, quiet)
      const model = new Set<string>()
      const acts: string[] = []
      for (const one of steps) {
        if (one === 'restart') closures = await Closures.open(path, quiet)
        else {
          const name = nameOf(one.scope)
          if ((one.act === 'close') !== model.has(name)) acts.push(`${one.act} ${name}`)
          if (one.act === 'close') model.add(name)
          else model.delete(name)
          await closures[one.act](one.scope, 'tester', 'a test')
        }
        assertClosed(closures, model)
        const kept = closures.unreported.map((act) => `${act.act} ${nameOf(act.scope)}`)
        assert.deepEqual(kept, acts)
      }
      await closures.reported(closures.unreported)
      assert.deepEqual((await Closures.open(path, quiet)).unreported, [])
    }),
    { numRuns: 40 },
  )
})

test('it is closed in the turn of the call, and listeners hear of it then', async (context) => {
  const path = join(await temporaryDirectory(context), 'closures.json')
  const closures = await Closures.open(path, quiet)
  let heard = 0
  closures.onAct(() => {
    heard += 1
  })
  const written = closures.close(EVERYTHING, 'tester', 'a test')
  assert.deepEqual([closures.isClosed({ siteId: '', researcherId: '' }), heard], [true, 1])
  await written
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.match(readFileSync(path, 'utf8'), /a test/)
})

test('what cannot be written down is closed all the same, and is not opened', async (context) => {
  const missing = join(await temporaryDirectory(context), 'missing', 'closures.json')
  const closures = await Closures.open(missing, quiet)
  for (const act of ['close', 'open'] as const) {
    await assert.rejects(closures[act](EVERYTHING, 'tester', 'a test'))
    assert.equal(closures.isClosed({ siteId: 'a', researcherId: '' }), true)
  }
})

test('a damaged file is told, and opens nothing', async (context) => {
  const path = join(await temporaryDirectory(context), 'closures.json')
  for (const damaged of ['', '{"closed": [{}]}', '[', '{"closed": [null]}']) {
    writeFileSync(path, damaged)
    await assert.rejects(Closures.open(path, quiet), /is damaged/)
  }
})
