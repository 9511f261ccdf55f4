/** What a release promises of the repository: one version everywhere, words for whoever upgrades, migrations that stay as they are. */
import assert from 'node:assert/strict'
import { cpSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { setVersion } from '../../tools/set-version.ts'
import { listPackages } from '../../tools/sources.ts'
import { listReleases, MIGRATION_FOLDERS } from '../support/releases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = resolve(import.meta.dirname, '../..')

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}
const manifests = listPackages(root).map(
  (name): Manifest => JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')),
)
const version = manifests.find(({ name }) => name === '@sallyport/sallyport')?.version ?? ''

test('every package has the version of the program, and names the others by it', () => {
  assert.match(version, /^\d+\.\d+\.\d+$/)
  const lock: { packages: Record<string, Manifest> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const locked = Object.entries(lock.packages)
    .filter(([path]) => /^packages\/[^/]+$/.test(path))
    .map(([, manifest]) => manifest)
  assert.equal(locked.length, manifests.length)
  for (const { name, version: own, dependencies = {} } of [...manifests, ...locked]) {
    assert.equal(own, version, name)
    for (const [dependency, wanted] of Object.entries(dependencies))
      if (dependency.startsWith('@sallyport/')) assert.equal(wanted, version, `${dependency} in ${name}`)
  }
})

test('one command sets the version of all, and changes nothing else', (context) => {
  const copy = temporaryFolder(context)
  const paths = [...listPackages(root).map((name) => `packages/${name}/package.json`), 'package-lock.json']
  for (const path of paths) cpSync(join(root, path), join(copy, path))
  const readAll = (folder: string): string[] => paths.map((path) => readFileSync(join(folder, path), 'utf8'))
  setVersion(copy, version)
  assert.deepEqual(readAll(copy), readAll(root))
  setVersion(copy, '987.6.5')
  assert.ok(readAll(copy).every((text) => text.includes('"version": "987.6.5"')))
  setVersion(copy, version)
  assert.deepEqual(readAll(copy), readAll(root))
  assert.throws(() => setVersion(copy, 'v1'), /not a version/)
})

test('CHANGELOG.md tells of the version first, and of each release', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const told = [...changelog.matchAll(/^## (\S+)/gm)].map(([, name]) => name)
  assert.equal(told[0], version)
  for (const { tag } of listReleases()) assert.ok(told.includes(tag.slice(1)), tag)
})

test('a migration of a release is as it was', () => {
  for (const { tag, migrations } of listReleases())
    for (const [store, folder] of Object.entries(MIGRATION_FOLDERS))
      for (const { name, text } of migrations[store as keyof typeof MIGRATION_FOLDERS])
        assert.equal(readFileSync(join(root, folder, name), 'utf8'), text, `${name} of ${tag}`)
})
