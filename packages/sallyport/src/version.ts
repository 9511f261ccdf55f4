/** The version of the program, as its manifest says it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export function readVersion(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
  )
  return manifest.version
}
