/**
 * Sets the version of every package, and of each in the others, in the manifests and in the lock file:
 *
 *     node tools/set-version.ts 1.2.0
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { listPackages } from './sources.ts'

const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const

type Manifest = { version?: string } & { [Kind in (typeof DEPENDENCIES)[number]]?: Record<string, string> }

const FORM = /^\d+\.\d+\.\d+$/

/** Writes it into the files of a repository. */
export function setVersion(root: string, version: string): void {
  if (!FORM.test(version)) throw new Error(`${version} is not a version such as 1.2.0`)
  const folders = listPackages(root)
  for (const folder of folders)
    change(join(root, 'packages', folder, 'package.json'), (manifest: Manifest) => put(manifest, version))
  change(join(root, 'package-lock.json'), (lock: { packages: Record<string, Manifest> }) => {
    for (const folder of folders) put(lock.packages[`packages/${folder}`] ?? {}, version)
  })
}

function put(manifest: Manifest, version: string): void {
  manifest.version = version
  for (const kind of DEPENDENCIES) {
    const wanted = manifest[kind] ?? {}
    for (const name of Object.keys(wanted)) if (name.startsWith('@sallyport/')) wanted[name] = version
  }
}

function change<Content>(path: string, make: (content: Content) => void): void {
  const content: Content = JSON.parse(readFileSync(path, 'utf8'))
  make(content)
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`)
}

if (import.meta.main) setVersion(resolve(import.meta.dirname, '..'), process.argv[2] ?? '')
