/**
 * The index of source files in ARCHITECTURE.md, made from the folders as they are.
 *
 *     node tools/files.ts           prints it
 *     node tools/files.ts --write   puts it into the page
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { listFiles, listPackages } from './sources.ts'

const PAGE = 'ARCHITECTURE.md'
const BEGIN = '<!-- files: made by tools/files.ts -->\n'
const END = '<!-- end of files -->'

/** What is in files whose name alone misleads, by path from `packages/` without the ending. */
const NOTES: Readonly<Record<string, string>> = {
  'contract/src/fields': 'schemas that operations share',
  'contract/src/limits': 'bounds of texts and lists',
  'contract/src/words': 'the face without schemas',
  'contract/src/operations/access': 'keys, members, accounts, audit log',
  'contract/src/operations/hackers': 'researchers',
  'contract/src/operations/organization': 'billing, credits, own role, rate-limit policies, kill switch',
  'contract/src/traffic/fields': 'the table of the record',
  'control/src/feed/gateways': "gateways' reports",
  'control/src/features/sites/access': 'list of researchers, access check',
  'control/src/database/changes': 'changes with their audit entry',
  'control/src/http/rows': 'what services ask of a store',
  'control/src/features/account/routes': 'own password',
  'control/src/features/hackers/credential-service':
    'of one that is there; the first key and invitation: service',
  'control/src/identity/issuer/jwt': 'what a token says: organization, address, role',
  'control/src/identity/issuer/issuer-users': 'which member it stands for',
  'gateway/src/snapshot/access': 'the policy, asked of a snapshot',
  'gateway/src/stages/limit/headers': "what is left, in the answer's headers",
  'gateway/src/gate-host/begin': 'what holds for all its answers',
  'sallyport/src/commands/access': 'which control plane, with what key',
}

/** The files under some folders, each with its words, by folder: a row of a table each. */
const tableOf = (head: string, files: readonly (readonly [folder: string, words: string])[]): string => {
  const folders = Map.groupBy(files, ([folder]) => folder)
  const rows = [...folders]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([folder, words]) => `| \`${folder}/\` | ${[...new Set(words.map(([, name]) => name))].join(', ')} |`,
    )
  return [head, '| --- | --- |', ...rows, ''].join('\n')
}

const withoutEnding = (file: string): string => file.replace(/(\.test|\.d|\.module)?\.[a-z]+$/, '')

/** Source files by path from `packages/`; without migrations, and without the styles and pages of a file of code. */
function listSourceFiles(root: string): readonly string[] {
  const files = listPackages(root).flatMap((name) => listFiles(root, join('packages', name, 'src')))
  const code = new Set(files.filter((file) => /\.tsx?$/.test(file)).map(withoutEnding))
  return files
    .filter((file) => /\.tsx?$/.test(file) || (!file.endsWith('.sql') && !code.has(withoutEnding(file))))
    .map((file) => file.replace(/^packages\//, ''))
    .toSorted()
}

/** Where the test of a source file lies, if it has one: of the same name, in the same folder of `test`. */
const testOf = (file: string): string => `${withoutEnding(file).replace('/src/', '/test/')}.test.ts`

/** The index as two tables: sources, and tests that are of no file alone. `root` is the folder of the repository. */
export function filesTable(root: string): string {
  const sources = listSourceFiles(root)
  const tests = [...listPackages(root).map((name) => join('packages', name, 'test')), 'test']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => listFiles(root, folder))
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => file.replace(/^packages\//, ''))
  const own = new Set(sources.map(testOf).filter((test) => tests.includes(test)))
  const wordsOf = (file: string): string => {
    const note = NOTES[withoutEnding(file)]
    const name = /\.tsx?$/.test(file) ? withoutEnding(basename(file)) : basename(file)
    return `${name}${own.has(testOf(file)) ? '*' : ''}${note ? ` (${note})` : ''}`
  }
  return [
    tableOf(
      '| sources | files |',
      sources.map((file) => [dirname(file), wordsOf(file)]),
    ),
    tableOf(
      '| tests | files without `.test.ts`, but for those with a star above |',
      tests
        .filter((file) => !own.has(file))
        .toSorted()
        .map((file) => [dirname(file), withoutEnding(basename(file))]),
    ),
  ].join('\n')
}

/** Notes on files that are no more. */
export function notesOnNothing(root: string): readonly string[] {
  const files = new Set(listSourceFiles(root).map(withoutEnding))
  return Object.keys(NOTES).filter((file) => !files.has(file))
}

/** The page as it is, and as it has to be. */
export function readPage(root: string): { readonly is: string; readonly should: string } {
  const is = readFileSync(join(root, PAGE), 'utf8')
  const [begin, end] = [is.indexOf(BEGIN), is.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`${PAGE} lacks the two markers of the index`)
  return { is, should: `${is.slice(0, begin)}${BEGIN}${filesTable(root)}${is.slice(end)}` }
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..')
  if (process.argv.includes('--write')) writeFileSync(join(root, PAGE), readPage(root).should)
  else process.stdout.write(filesTable(root))
}
