import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { findWrongArrows, roomGraphs, whyWrong } from '../../tools/arrows.ts'
import { cyclesOf } from '../../tools/structure.ts'

test('every import between packages points the right way', () => {
  assert.deepEqual(findWrongArrows(resolve(import.meta.dirname, '../..')), [])
})

test('no rooms may import each other in a ring', () => {
  for (const graph of roomGraphs()) assert.deepEqual(cyclesOf(graph), [])
})

test('a wrong arrow is found', () => {
  assert.match(whyWrong('contract', 'a.ts', '@sallyport/control') ?? '', /may not import/)
  assert.match(whyWrong('gateway', 'a.ts', '@sallyport/control') ?? '', /may not import/)
  assert.match(whyWrong('control', 'a.ts', '@sallyport/contract/src/x.ts') ?? '', /public face/)
  assert.match(whyWrong('control', 'features/sites/store.ts', '../keys/store.ts') ?? '', /imports feature/)
  assert.match(whyWrong('gateway', 'stages/limit/limit.ts', '../block/block.ts') ?? '', /imports stage/)
  assert.match(whyWrong('console', 'pages/sites/a.tsx', '../traffic/b.tsx') ?? '', /imports pages/)
  assert.match(whyWrong('console', 'api/api.tsx', '../app/app.tsx') ?? '', /imports app/)
  assert.match(whyWrong('console', 'researcher/main.tsx', '../design/icon.tsx') ?? '', /imports design/)
  assert.match(whyWrong('gateway', 'pipeline.ts', '../../control/src/index.ts') ?? '', /outside its package/)
  assert.equal(whyWrong('control', 'features/sites/store.ts', './proof/store.ts'), undefined)
  assert.equal(whyWrong('control', 'features/sites/store.ts', '../../database/database.ts'), undefined)
  assert.equal(whyWrong('gateway', 'stages/limit/limit.ts', '../../exchange/exchange.ts'), undefined)
})
