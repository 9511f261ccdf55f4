import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { collectGarbage } from '../src/collect-garbage.ts'

test('what is not used any more is collected, and nobody else is given the function', async () => {
  let kept: { readonly reference: WeakRef<object> } | undefined
  const make = (): void => {
    kept = { reference: new WeakRef({ large: new Array(1_000).fill(0) }) }
  }
  make()
  // A weak reference holds until the turn in which it was made is over.
  await turn()
  assert.notEqual(kept?.reference.deref(), undefined)
  await turn()
  collectGarbage(1024)
  assert.notEqual(kept?.reference.deref(), undefined, 'nothing stands still for a heap that is large')
  await turn()
  collectGarbage()
  assert.equal(kept?.reference.deref(), undefined)
  assert.equal('gc' in globalThis, false)
})
