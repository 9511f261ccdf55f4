/** What became of each test file, as the events of node's test runner tell it. */
import type { TestsStream } from 'node:test'

/** What became of the tests of one file. */
export interface FileResult {
  readonly file: string
  readonly passed: number
  /** Also those that were cancelled; at least 1 for a file that failed, in a hook or by its exit status. */
  readonly failed: number
  /** How long its tests took, without the start of its process. */
  readonly durationMs: number
}

/** By the path of the file. */
export type FileResults = ReadonlyMap<string, FileResult>

/** Collects the results of the files of a run; they are whole once the events have ended. */
export function collectResults(events: TestsStream, files: readonly string[]): FileResults {
  // Until it says otherwise a file has failed: of one whose process ends before it has summed up, nothing else may be told.
  const results = new Map<string, FileResult>(
    files.map((file) => [file, { file, passed: 0, failed: 1, durationMs: 0 }]),
  )
  events.on('test:summary', ({ file, counts, success, duration_ms: durationMs }) => {
    if (file === undefined) return
    const { tests, passed, skipped, todo } = counts
    const failed = Math.max(tests - passed - skipped - todo, success ? 0 : 1)
    results.set(file, { file, passed, failed, durationMs })
  })
  // A process that ends badly is a failed test of its own name, whatever its tests said before.
  events.on('test:fail', ({ name }) => {
    if (!files.includes(name)) return
    const { passed, failed, durationMs } = results.get(name) ?? { passed: 0, failed: 0, durationMs: 0 }
    results.set(name, { file: name, passed, failed: Math.max(failed, 1), durationMs })
  })
  return results
}

/** The files that failed. */
export const failedIn = (results: FileResults): string[] =>
  [...results.values()].filter(({ failed }) => failed > 0).map(({ file }) => file)
