/** A folder for what a test, or a file of tests, writes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Who has what was made removed, and what was started ended: a test, or the tests of a file. */
export interface Ending {
  after(end: () => void | Promise<void>): void
}

/** An empty folder, removed with what it is for. */
export function temporaryFolder(context: Ending): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-test-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
