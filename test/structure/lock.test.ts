import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'

interface LockedPackage {
  readonly integrity?: string
  readonly link?: boolean
  readonly inBundle?: boolean
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

const readLock = (file: string): Lock =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8'))
const lock = readLock('package-lock.json')

/** Optional packages of platforms on which nothing here is tested; whoever locks on one of them adds their digests. */
const WITHOUT_INTEGRITY = [
  '@biomejs/cli-android-arm64',
  '@biomejs/cli-android-x64',
  '@biomejs/cli-darwin-arm64',
  '@biomejs/cli-darwin-x64',
  '@biomejs/cli-linux-arm64-musl',
  '@biomejs/cli-linux-x64-musl',
  '@biomejs/cli-win32-arm64',
  '@biomejs/cli-win32-x64',
  '@chdb/lib-darwin-arm64',
  '@chdb/lib-darwin-x64',
  '@chdb/lib-linux-arm64-gnu',
]

test('every package is locked to its content', () => {
  for (const file of ['package-lock.json', 'test/real-application/package-lock.json'])
    for (const [path, { integrity, link, inBundle }] of Object.entries(readLock(file).packages)) {
      const name = path.split('node_modules/').at(-1) ?? ''
      // Our own packages are in the repository, and a bundled one is a part of the package that brings it.
      if (!path.includes('node_modules/') || link || inBundle || WITHOUT_INTEGRITY.includes(name)) continue
      assert.match(integrity ?? '', /^sha512-[\w+/]{86}==$/, `${file}: ${path}`)
    }
})

test('the lock file has an entry for the optional packages of every platform', () => {
  // `npm ci` refuses a lock file without them, whatever the machine it runs on.
  const present = new Set(Object.keys(lock.packages).map((path) => path.split('node_modules/').at(-1)))
  const named = Object.values(lock.packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}))
  assert.deepEqual(
    named.filter((name) => !present.has(name)),
    [],
  )
})

test('the lock file names no registry', () => {
  const hosts = Object.values(lock.packages).filter((entry) => entry.resolved?.includes('://'))
  assert.deepEqual(hosts, [])
})
