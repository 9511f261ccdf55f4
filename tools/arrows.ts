/**
 * The direction of imports between packages, and a reader that finds those that point the wrong way.
 * `contract` imports nothing of ours; the planes never import each other; see ARCHITECTURE.md.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Which of our packages each package may import. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  journal: [],
  policy: ['contract'],
  firewall: ['contract'],
  control: ['contract', 'policy'],
  gateway: ['contract', 'policy', 'firewall', 'journal'],
  client: ['contract'],
  console: ['contract', 'client', 'policy'],
  sallyport: ['contract', 'client', 'control', 'gateway', 'firewall'],
}

/** The contract has two faces: this one is the part without schemas. */
const CONTRACT_WORDS = '@sallyport/contract/words'

/** An import that points the wrong way. */
export interface WrongArrow {
  readonly file: string
  readonly imported: string
  readonly why: string
}

const IMPORT = /(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g

/** Specifiers that a source file imports, statically or dynamically. */
const importsOf = (source: string): string[] => [...source.matchAll(IMPORT)].map((match) => match[1] ?? '')

/** Reads every source file under `root/packages` and returns the imports that break a rule. */
export const findWrongArrows = (root: string): WrongArrow[] =>
  Object.keys(ARROWS).flatMap((name) => {
    const source = join(root, 'packages', name, 'src')
    return listSources(source).flatMap((file) =>
      importsOf(readFileSync(file, 'utf8')).flatMap((imported) => {
        const why = whyWrong(name, relative(source, file), imported)
        return why ? [{ file: relative(root, file), imported, why }] : []
      }),
    )
  })

/** Says why `imported` may not be imported from `file` (relative to the package's src), or nothing if it may. */
export function whyWrong(packageName: string, file: string, imported: string): string | undefined {
  const ours = /^@sallyport\/([a-z]+)(\/.*)?$/.exec(imported)
  if (ours) {
    const target = ours[1] ?? ''
    if (!ARROWS[packageName]?.includes(target)) return `${packageName} may not import ${target}`
    if (ours[2] && imported !== CONTRACT_WORDS) return 'a package is imported by its public face only'
  }
  if (imported.startsWith('../') && relative('.', join(file, '..', imported)).startsWith('..'))
    return 'reaches outside its package'
  if (packageName === 'control') {
    const from = /^features\/([^/]+)\//.exec(file)?.[1]
    const to = /^features\/([^/]+)\//.exec(join(file, '..', imported))?.[1]
    if (imported.startsWith('.') && from && to && from !== to) return `feature ${from} imports feature ${to}`
    if (imported === 'kysely' && !/(^|\/)(store|database)[^/]*(\/|\.ts$)/.test(file))
      return 'SQL belongs in store.ts or database/'
  }
  if (packageName === 'gateway') {
    const from = /^stages\/([^/]+)\//.exec(file)?.[1]
    const to = /^stages\/([^/]+)\//.exec(join(file, '..', imported))?.[1]
    if (imported.startsWith('.') && from && to && from !== to) return `stage ${from} imports stage ${to}`
  }
  return undefined
}

function listSources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}
