/** Settings as a page of the documentation gives them, so that what a test runs with is what an operator reads. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const DOCS = join(import.meta.dirname, '../../../docs')
const SETTING = /^([A-Z][A-Z0-9_]*)=/

/**
 * The settings of a block of code, the first unless said otherwise, under a heading of a page, with values of this place for those of
 * the page. Each that the block names must be given a value, and no other may.
 */
export function documentedSettings(
  page: string,
  heading: string,
  values: Readonly<Record<string, string>>,
  block = 0,
): Record<string, string> {
  const text = readFileSync(join(DOCS, page), 'utf8')
  const start = text.search(new RegExp(`^#+ ${heading}$`, 'm'))
  assert.ok(start >= 0, `${page} has no heading ${heading}`)
  const blocks = [...text.slice(start).matchAll(/^```sh\n(.*?)^```/gms)]
  const lines = blocks[block]?.[1]?.split('\n') ?? []
  const names = lines.flatMap((line) => SETTING.exec(line)?.[1] ?? [])
  assert.deepEqual(names.toSorted(), Object.keys(values).toSorted(), `${page}, ${heading}`)
  return { ...values }
}
