import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { putLine, readLine } from '../../src/snapshot/put-lines.ts'

const KIND = 'site'

test('a put reads the same whether its line is as the control plane writes it or in any other order', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.uuid(), fc.string({ unit: 'binary' })),
      fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()),
      (id, drawn) => {
        const json = JSON.stringify(drawn)
        const value: unknown = JSON.parse(json)
        const usual = Buffer.from(`${JSON.stringify({ type: 'put', kind: KIND, id, value })}\n`)
        const other = Buffer.from(`${JSON.stringify({ value, id, kind: KIND, type: 'put' }, undefined, 1)}\n`)
        const expected = { type: 'put', kind: KIND, id: Buffer.from(id).toString(), json: Buffer.from(json) }
        assert.deepEqual(readLine(usual), expected)
        assert.deepEqual(readLine(other), expected)
        assert.deepEqual(Buffer.concat(putLine(KIND, id, Buffer.from(json))), usual)
      },
    ),
    { numRuns: 1_000 },
  )
})

test('no id makes a line say another value', () => {
  for (const id of ['","value":1,"x":"', 'a","value":', '\\', '\\"', 'é', 'x'.repeat(200)]) {
    const line = Buffer.from(`${JSON.stringify({ type: 'put', kind: KIND, id, value: { id } })}\n`)
    assert.deepEqual(readLine(line), {
      type: 'put',
      kind: KIND,
      id,
      json: Buffer.from(JSON.stringify({ id })),
    })
  }
})

test('other messages are read whole, and what is no JSON throws', () => {
  const begin = { type: 'begin', mode: 'full', revision: 7 }
  assert.deepEqual(readLine(Buffer.from(`${JSON.stringify(begin)}\n`)), begin)
  assert.deepEqual(readLine(Buffer.from('{"type":"ping"}\n')), { type: 'ping' })
  assert.throws(() => readLine(Buffer.from('{"type":"put"\n')), SyntaxError)
})
