import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { PreviewTurns } from '../../../../src/features/analytics/preview/preview-turns.ts'

test('an organization that asks for many holds up no other, and has none refused but its own', async () => {
  const turns = new PreviewTurns()
  const order: string[] = []
  const ends: (() => void)[] = []
  const ask = (orgId: string) =>
    turns
      .run(orgId, async () => {
        order.push(orgId)
        await new Promise<void>((resolve) => ends.push(resolve))
      })
      .then(
        () => 'done',
        ({ code }: { code: string }) => code,
      )
  const many = Array.from({ length: 45 }, () => ask('many'))
  const one = ask('one')
  await turn()
  assert.deepEqual(order, ['many', 'many'])
  ends.shift()?.()
  await turn()
  ends.shift()?.()
  await turn()
  assert.ok(order.slice(2).includes('one'), 'it has its turn after one of the others')
  while (ends.length > 0) {
    ends.shift()?.()
    await turn()
  }
  assert.equal(await one, 'done')
  const ended = await Promise.all(many)
  assert.equal(ended.filter((code) => code === 'too_many_requests').length, 13)
  assert.equal(order.length, 33)
  assert.equal(
    await (async () => {
      const last = ask('last')
      await turn()
      ends.shift()?.()
      return last
    })(),
    'done',
    'its place is free again',
  )
})

test('what fails gives its place away', async () => {
  const turns = new PreviewTurns()
  for (let count = 0; count < 5; count++)
    await assert.rejects(
      turns.run('one', () => Promise.reject(new Error('away'))),
      /away/,
    )
  assert.equal(await turns.run('one', async () => 'there'), 'there')
})
