import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'

interface LockedPackage {
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../package-lock.json'), 'utf8'),
)

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
