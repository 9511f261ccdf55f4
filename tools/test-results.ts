/** A reporter of node's test runner: a line of JSON for each test file, with how many of its tests passed and failed. */
import type { TestEvent } from 'node:test/reporters'

/** What became of the tests of one file. */
export interface FileResult {
  readonly file: string
  readonly passed: number
  /** Also those that were cancelled; 1 for a file that ended before it could say. */
  readonly failed: number
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const ended = new Set<string>()
  const failed = new Set<string>()
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.file) failed.add(data.file)
    if (type !== 'test:summary' || !data.file) continue
    ended.add(data.file)
    const { tests, passed, skipped, todo } = data.counts
    yield line({ file: data.file, passed, failed: tests - passed - skipped - todo })
  }
  for (const file of failed.difference(ended)) yield line({ file, passed: 0, failed: 1 })
}

const line = (result: FileResult): string => `${JSON.stringify(result)}\n`
