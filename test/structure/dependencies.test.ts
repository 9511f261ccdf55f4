import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const root = resolve(import.meta.dirname, '../..')
const manifests = globSync(['package.json', 'packages/*/package.json'], { cwd: root }).map(
  (file): Manifest => JSON.parse(readFileSync(join(root, file), 'utf8')),
)

/** Every package that is not ours, with its version, as the manifests name it. */
const named = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
  Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
    ([name]) => !name.startsWith('@sallyport/'),
  ),
)

test('docs/dependencies.md gives a reason for every dependency, and for nothing else', () => {
  const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (`[^|]+) \| [^|]+ \| [^|]+ \|$/gm)]
  const documented = rows.flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )
  const used = new Set(named.map(([name]) => (name.startsWith('@types/') ? '@types/*' : name)))
  assert.deepEqual(documented.toSorted(), [...used].toSorted())
})

test('every dependency has an exact version, the same everywhere', () => {
  const versions = new Map<string, string>()
  for (const [name, version] of named) {
    assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name)
    assert.equal(versions.get(name) ?? version, version, name)
    versions.set(name, version)
  }
})
