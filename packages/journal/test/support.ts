import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A directory that is deleted when the test has ended. */
export function temporaryDirectory(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-journal-'))
  context.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
