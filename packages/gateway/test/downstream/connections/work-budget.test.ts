/** Who may work when: what an account is given of the event loop, and who waits for whom. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WorkAccount, WorkBudget, type Worker } from '../../../src/downstream/connections/work-budget.ts'

/** Has so much to do, charged at so much a slice, and counts the slices. */
class Busy implements Worker {
  slices = 0
  readonly #budget: WorkBudget
  readonly #account: WorkAccount
  readonly #chargeMs: number
  readonly #onSlice: () => void

  constructor(budget: WorkBudget, account: WorkAccount, chargeMs: number, onSlice: () => void = () => {}) {
    this.#budget = budget
    this.#account = account
    this.#chargeMs = chargeMs
    this.#onSlice = onSlice
    budget.wait(account, this)
  }
  work(): void {
    this.slices += 1
    this.#onSlice()
    this.#budget.spend(this.#account, this.#chargeMs, performance.now())
    this.#budget.wait(this.#account, this)
  }
}

test('those who wait take turns, by accounts and within each by connections', async () => {
  const budget = new WorkBudget()
  const order: string[] = []
  const one = budget.acquireForResearcher('one')
  const other = budget.acquireForResearcher('other')
  for (const name of ['a', 'b', 'c']) new Busy(budget, one, 0, () => order.push(name))
  new Busy(budget, other, 0, () => order.push('x'))
  while (order.length < 12) await sleep(1)
  budget.close()
  assert.equal(order.slice(0, 12).join(''), 'axbxcxaxbxcx')
})

test('one slice is worked on in each turn of the event loop, however many wait', async () => {
  const budget = new WorkBudget()
  const perTurn: number[] = []
  let slices = 0
  for (let index = 0; index < 50; index++)
    new Busy(budget, budget.acquireForResearcher(`r${index}`), 0, () => {
      slices += 1
    })
  for (let turn = 0; turn < 200; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    perTurn.push(slices)
    slices = 0
  }
  budget.close()
  assert.ok(Math.max(...perTurn) <= 1, perTurn.join(' '))
})

test('a stranger is given no more than a fifth of the time, and all of them together half of it', async () => {
  const budget = new WorkBudget()
  const startedAt = performance.now()
  const strangers = Array.from(
    { length: 8 },
    (_, index) => new Busy(budget, budget.acquireForAddress(`192.0.2.${index}`), 1),
  )
  await sleep(400)
  budget.close()
  const elapsedMs = performance.now() - startedAt
  const counts = strangers.map(({ slices }) => slices)
  // What was earned in advance, and the slice that uses up the last of it.
  for (const count of counts) assert.ok(count <= 0.2 * elapsedMs + 3, `${count} in ${elapsedMs}`)
  const all = counts.reduce((sum, count) => sum + count)
  assert.ok(all <= 0.5 * elapsedMs + 11, `${all} in ${elapsedMs}`)
  assert.ok(Math.min(...counts) > 0)
})

test('a researcher uses what nobody else needs, and a fifth as long as somebody does', async () => {
  const budget = new WorkBudget()
  const heavy = new Busy(budget, budget.acquireForResearcher('heavy'), 5)
  await sleep(100)
  const alone = heavy.slices
  assert.ok(alone > 20, String(alone))
  const modest = budget.acquireForResearcher('modest')
  const serve = (): void => {
    assert.ok(budget.mayWork(modest, performance.now()), 'within what it earns nobody waits')
    budget.spend(modest, 0.01, performance.now())
  }
  serve()
  const startedAt = performance.now()
  const before = heavy.slices
  const serving = setInterval(serve, 10)
  await sleep(300)
  clearInterval(serving)
  budget.close()
  const besideMs = 5 * (heavy.slices - before)
  const elapsedMs = performance.now() - startedAt
  assert.ok(besideMs <= 0.2 * elapsedMs + 7, `${besideMs} of ${elapsedMs}`)
})

test('who is gone is not called, and accounts are kept no longer than they mean something', async () => {
  const budget = new WorkBudget()
  const account = budget.acquireForAddress('192.0.2.1')
  const gone = new Busy(budget, account, 0)
  budget.release(account, gone)
  await sleep(5)
  assert.equal(gone.slices, 0)
  budget.spend(account, 4, performance.now())
  budget.sweep(performance.now())
  assert.equal(budget.acquireForAddress('192.0.2.1'), account, 'it has not earned back what it spent')
  budget.release(account)
  budget.sweep(performance.now() + 1_000)
  assert.notEqual(budget.acquireForAddress('192.0.2.1'), account)
})
