/** What the pages about the code name has to be there. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '../..')
const inRoot = (pattern: string[]): string[] => globSync(pattern, { cwd: root }).toSorted()

/** Pages that lead through the code. */
const pages = inRoot(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/machines/*.md'])

/** A path as the pages write them: with a slash, in the letters of file names; `<x>` stands for any name. */
const PATH = /`([a-z@][\w.@<>-]*(?:\/[\w.@<>-]+)*\/?)`/g

const isPath = (text: string): boolean =>
  /\.(ts|tsx|js|sql|json|md)$/.test(text) || (/\/$/.test(text) && !text.startsWith('.'))

/** Folders of an installation, not of the repository. */
const ELSEWHERE = new Set([
  'postgres/',
  'clickhouse/',
  'gateway/',
  'control/',
  'first-run.json',
  'secrets.json',
  'lease.json',
])

/** Paths are given from the root, from a package, or, where the page says which package, from any folder of it. */
const isThere = (path: string): boolean => {
  const pattern = path.replaceAll(/<[\w -]+>/g, '*').replace(/\/$/, '')
  return (
    globSync(
      [pattern, `packages/${pattern}`, `packages/*/${pattern}`, `packages/*/{src,test,build}/**/${pattern}`],
      { cwd: root },
    ).length > 0
  )
}

test('every file and folder that a page about the code names is there', () => {
  for (const page of pages)
    for (const [, path = ''] of readFileSync(join(root, page), 'utf8').matchAll(PATH))
      if (isPath(path) && !ELSEWHERE.has(path)) assert.ok(isThere(path), `${page}: ${path}`)
})

test('every link between pages leads to something', () => {
  for (const page of inRoot(['*.md', 'docs/**/*.md', 'packages/*/README.md']))
    for (const [, target = ''] of readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)#\s]+)[^)]*\)/g))
      if (!target.includes('://'))
        assert.ok(existsSync(join(root, dirname(page), target)), `${page}: ${target}`)
})

test('ARCHITECTURE.md names every room of the packages, with its tests and its page, and no other', () => {
  const [, section = ''] = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split(/^## Rooms$/m)
  const rows = (section.split(/^## /m)[0] ?? '').split('\n').filter((line) => line.startsWith('| `'))
  const named = rows.map((row) => /^\| `([a-z0-9-]+\/src\/(?:[a-z0-9-]+\/)?)` \|/.exec(row)?.[1] ?? row)
  const rooms = inRoot(['packages/*/src/*/', 'packages/*/src/*.ts']).map((path) =>
    path.replace(/^packages\//, '').replace(/[^/]+\.ts$/, ''),
  )
  // What stands in the root of the console's sources starts it, and has no row.
  assert.deepEqual(
    named.toSorted(),
    [...new Set(rooms.map((room) => room.replace(/([^/])$/, '$1/')))]
      .filter((room) => room !== 'console/src/')
      .toSorted(),
  )
  for (const row of rows) assert.match(row, /\| [^|]*`[^|]+ \| \[[^|]+ \|$/)
})
