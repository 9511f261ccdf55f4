/** The thread that reads documents: its deadline, its memory and its queue. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { ProblemError } from '../../../src/errors.ts'
import { createDocumentReader, type DocumentReader } from '../../../src/http/documents/document-reader.ts'

const noFailure = (error: unknown): void => assert.fail(String(error))
const bytes = (text: string): Uint8Array => Buffer.from(text)
const SMALL = bytes('a: 1')
/** Takes some seconds to read. */
const SLOW = bytes(`[${'1,'.repeat(7_500_000)}1]`)

async function withReader(
  deadlineMs: number | undefined,
  act: (reader: DocumentReader) => Promise<void>,
): Promise<void> {
  const reader = createDocumentReader({ failed: noFailure, ...(deadlineMs !== undefined && { deadlineMs }) })
  try {
    await act(reader)
  } finally {
    await reader.close()
  }
}

const statusOf = (read: Promise<unknown>): Promise<number> =>
  read.then(
    () => 200,
    (error: unknown) => (error instanceof ProblemError ? error.status : 0),
  )

test('a document that takes too long is refused, and the next one is read', () =>
  withReader(1_000, async (reader) => {
    const slow = reader.read('one', SLOW, 'yaml')
    const next = reader.read('other', SMALL, 'yaml')
    await assert.rejects(slow, (error) => {
      assert.ok(error instanceof ProblemError)
      assert.equal(error.status, 400)
      assert.deepEqual(error.errors, [{ path: '', message: 'takes too long to read' }])
      return true
    })
    assert.deepEqual((await next).outline, { a: 1 })
  }))

test('a document that takes too much memory is refused, and the next one is read', () =>
  withReader(60_000, async (reader) => {
    // One node of a sequence for every two bytes, each of which the library keeps as an event.
    await assert.rejects(reader.read('one', bytes('-\n'.repeat(8_000_000)), 'yaml'), (error) => {
      assert.ok(error instanceof ProblemError)
      assert.deepEqual(error.errors, [{ path: '', message: 'takes too much memory to read' }])
      return true
    })
    const { content } = await reader.read('one', SMALL, 'yaml')
    assert.equal(gunzipSync(content).toString(), '{"a":1}')
  }))

test('what waits is bounded, for each sender and altogether', () =>
  withReader(undefined, async (reader) => {
    const refused = async (senders: readonly string[]): Promise<number> => {
      const answers = await Promise.all(senders.map((sender) => statusOf(reader.read(sender, SMALL, 'yaml'))))
      return answers.filter((status) => status === 503).length
    }
    const many = (count: number, name: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => name(index))
    // The first of them does not wait: it is read.
    assert.equal(await refused(many(20, () => 'one')), 3)
    assert.equal(await refused(many(40, (index) => `sender ${index % 20}`)), 7)
    assert.equal(
      await refused(many(40, (index) => `sender ${index}`)),
      0,
      'who waits for nothing yet has room',
    )
    assert.equal(await refused(many(140, (index) => `sender ${index}`)), 11, 'as long as there is any')
    assert.equal(await refused(many(17, () => 'one')), 0, 'and what was read no longer counts')
  }))

test('senders take turns', () =>
  withReader(undefined, async (reader) => {
    const order: string[] = []
    const read = async (sender: string): Promise<void> => {
      await reader.read(sender, SMALL, 'yaml')
      order.push(sender)
    }
    await Promise.all(['many', 'many', 'many', 'many', 'few', 'other'].map(read))
    assert.deepEqual(order, ['many', 'many', 'few', 'other', 'many', 'many'])
  }))
