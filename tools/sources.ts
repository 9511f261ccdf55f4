/** The source files of the repository, and what each of them imports. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Folders that are made, not written. */
const MADE = new Set(['node_modules', 'dist', '.git'])

/** Every file under `folder`, by its path from `root`; what a tool has made is left out. */
export function listFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return MADE.has(entry.name) ? [] : listFiles(root, path)
    return entry.isFile() ? [path] : []
  })
}

/** Every TypeScript file under `folder`, by its path from `root`. */
export const listSources = (root: string, folder: string): string[] =>
  listFiles(root, folder).filter((path) => /\.tsx?$/.test(path))

/** The packages, by the names of their folders. */
export const listPackages = (root: string): string[] => readdirSync(join(root, 'packages'))

const IMPORT = /(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g

/** Specifiers that a source text imports, statically or dynamically, types included. */
export const importsOf = (source: string): string[] =>
  [...source.matchAll(IMPORT)].map((match) => match[1] ?? '')

/** The files that each file imports by a relative path; both by their paths from `root`. */
export function readImports(root: string, files: readonly string[]): Map<string, string[]> {
  const known = new Set(files)
  const imports = files.map((file): [string, string[]] => {
    const targets = importsOf(readFileSync(join(root, file), 'utf8'))
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => relative('.', join(dirname(file), specifier)))
    return [file, targets.filter((target) => known.has(target))]
  })
  return new Map(imports)
}
