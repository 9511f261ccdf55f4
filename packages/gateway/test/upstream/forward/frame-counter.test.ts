/** Frames are counted the same however their bytes are cut. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MESSAGES_MAX } from '@sallyport/contract'
import fc from 'fast-check'
import { cut, places } from '../../../../../test/support/cuts.ts'
import { FrameCounter } from '../../../src/upstream/forward/frame-counter.ts'

const frames = fc.array(
  fc.record({
    fin: fc.boolean(),
    opcode: fc.constantFrom(0, 1, 2, 8, 9, 10),
    masked: fc.boolean(),
    size: fc.oneof(fc.nat(10), fc.constantFrom(125, 126, 127, 300, 65_535, 65_536)),
    wide: fc.boolean(),
  }),
  { maxLength: 30 },
)

test('messages are counted the same however their frames are cut', () => {
  fc.assert(
    fc.property(frames, places, (all, cuts) => {
      const bytes = Buffer.concat(
        all.map(({ fin, opcode, masked, size, wide }) => {
          const head = Buffer.alloc(14)
          head[0] = (fin ? 0x80 : 0) | opcode
          const code = wide || size > 65_535 ? 127 : size > 125 ? 126 : size
          head[1] = (masked ? 0x80 : 0) | code
          if (code === 126) head.writeUInt16BE(size, 2)
          if (code === 127) head.writeBigUInt64BE(BigInt(size), 2)
          const length = 2 + (code === 126 ? 2 : code === 127 ? 8 : 0) + (masked ? 4 : 0)
          // What is not a header looks like one.
          return Buffer.concat([head.subarray(0, length), Buffer.alloc(size, 0x81)])
        }),
      )
      const messages = all.filter(({ fin, opcode }) => fin && opcode < 8).length
      for (const pieces of [cut(bytes, cuts), bytes.length < 2_000 ? cut(bytes, [...bytes.keys()]) : []]) {
        const counter = new FrameCounter()
        let any = false
        for (const piece of pieces) {
          counter.count(piece)
          any = true
        }
        if (any) assert.equal(counter.messages, messages)
      }
    }),
  )
})

test('no more messages are counted than the record has room for', () => {
  const counter = new FrameCounter()
  counter.messages = MESSAGES_MAX - 1
  counter.count(Buffer.from('8100'.repeat(3), 'hex'))
  assert.equal(counter.messages, MESSAGES_MAX)
})
