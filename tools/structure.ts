/** Readers that find what the structure of the code forbids: import cycles, crowded folders, names that mean two things. */
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { listFiles, listPackages, listSources, readImports } from './sources.ts'

/** Where source is written. */
const WRITTEN = ['packages', 'test', 'tools', 'bench']

/** How many files a folder may hold beside its folders. */
export const FOLDER_FILES_MAX = 12

/**
 * The groups of files that import each other in a ring, imports of types included, found as the strongly connected
 * components of the graph (Tarjan, 1972). Each group is named by the names of its files, sorted.
 */
export const findImportCycles = (root: string): string[] => {
  const files = WRITTEN.flatMap((folder) => listSources(root, folder))
  return cyclesOf(readImports(root, files)).map((files) => files.map((file) => basename(file)).join(' '))
}

/** The strongly connected components of more than one node, or of one that points at itself; each sorted. */
export function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (node: string): number => {
    const own = order.size
    let lowest = own
    order.set(node, own)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next))
      else if (stack.includes(next)) lowest = Math.min(lowest, order.get(next) ?? own)
    }
    if (lowest === own) {
      const group = stack.splice(stack.indexOf(node))
      if (group.length > 1 || graph.get(node)?.includes(node)) cycles.push(group.sort())
    }
    return lowest
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return cycles
}

/** The folders with more than a dozen files of their own. */
export function findCrowdedFolders(root: string): string[] {
  const counts = new Map<string, number>()
  for (const file of [...WRITTEN, 'docs'].flatMap((folder) => listFiles(root, folder)))
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return [...counts].filter(([, count]) => count > FOLDER_FILES_MAX).map(([folder]) => folder)
}

const EXPORTED_TYPE = /^export (?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm

/** The names by which packages export more than one type, interface or class, each with the files that do. */
export function findRepeatedTypeNames(root: string): Map<string, string[]> {
  const exporters = new Map<string, string[]>()
  for (const file of listPackages(root).flatMap((name) => listSources(root, join('packages', name, 'src'))))
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(EXPORTED_TYPE))
      exporters.set(name, [...(exporters.get(name) ?? []), file])
  return new Map([...exporters].filter(([, files]) => files.length > 1))
}

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/gm
const STATEMENT =
  /['"`]\s*(?:SELECT\s|INSERT INTO\s|UPDATE\s+\S+\s+SET\s|DELETE FROM\s|WITH\s+\w+\s+AS\s*\(|(?:ALTER|CREATE|DROP|LOCK|OPTIMIZE|TRUNCATE) TABLE\s)/

/** Where SQL belongs: files and folders whose name says that they are a store, and `database/`. */
const STORE = /(?:^|[/-])store[^/]*(?:\/|\.ts$)|(?:^|\/)database\//

/** Whether a text holds a statement of SQL in a string. */
export const holdsSql = (source: string): boolean => STATEMENT.test(source.replace(COMMENT, ''))

/** The files of the control plane that hold SQL although they are no store, by their paths within its `src`. */
export function findMisplacedSql(root: string): string[] {
  const source = join('packages', 'control', 'src')
  return listSources(root, source)
    .map((file) => file.slice(source.length + 1))
    .filter((file) => !STORE.test(file) && holdsSql(readFileSync(join(root, source, file), 'utf8')))
}
