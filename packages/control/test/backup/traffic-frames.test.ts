import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { readFrames } from '../../src/backup/traffic-frames.ts'

test('a control plane that is killed in the middle of its traffic is named', async (context) => {
  const server = createServer((_request, response) => {
    response.write(`${JSON.stringify({ columns: { requests: ['id'] } })}\n`)
    response.write(`${JSON.stringify({ table: 'requests', rows: 1, bytes: 100 })}\n["x`, () =>
      setImmediate(() => response.destroy()),
    )
  }).listen(0, '127.0.0.1')
  context.after(() => server.close())
  await once(server, 'listening')
  const { body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  assert.ok(body)
  const reading = async (): Promise<void> => {
    const { pieces } = await readFrames(body)
    for await (const piece of pieces) assert.fail(`${piece.table} is not whole`)
  }
  await assert.rejects(reading(), {
    code: 'BAD_BACKUP',
    message: 'the control plane stopped in the middle of its traffic: try again',
  })
})
