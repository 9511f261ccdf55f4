/**
 * The lists of CONTRIBUTING that say which files a change touches, walked against what there is already: each file of a list
 * mentions everything that was ever added by it, and no other file of `src` does.
 */
import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import {
  ERRORS,
  FACETS,
  PATH_CONVENTIONS,
  PERMISSIONS,
  REASONS,
  ROLES,
  TRAFFIC_FIELDS,
} from '@sallyport/contract'
import { ownRules } from '@sallyport/firewall'
import { LIMITER_KINDS } from '@sallyport/policy'
import type { Command } from 'commander'
import { SITE_COLUMNS } from '../../packages/control/src/database/site-columns.ts'
import { DEFAULT_GATEWAY_LIMITS } from '../../packages/gateway/src/settings.ts'
import { createProgram } from '../../packages/sallyport/src/program.ts'
import { SETTINGS } from '../../packages/sallyport/src/settings.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** Without migrations, which no change edits. */
const SOURCES = 'packages/*/src/**/*.{ts,tsx}'

const foldersIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)

/** Names of the commands, but for what runs until it is stopped, which `program.ts` has itself. */
const commandsOf = (command: Command): string[] =>
  command.commands.length > 0 ? command.commands.flatMap(commandsOf) : [command.name()]
const COMMAND_ROLES = ['start', 'control', 'gateway', 'researcher-proxy']

/** What there is of each kind, by the heading of its list; `a|b` has two names. */
const EXISTING: Readonly<Record<string, readonly string[]>> = {
  'A setting': Object.keys(SETTINGS),
  'A command': commandsOf(createProgram()).filter((name) => !COMMAND_ROLES.includes(name)),
  'An error code': Object.keys(ERRORS),
  'A limit or timeout of the gateway': Object.keys(DEFAULT_GATEWAY_LIMITS),
  'A permission': PERMISSIONS,
  'A role': ROLES,
  'A path convention': PATH_CONVENTIONS,
  'A facet of the traffic': FACETS,
  'A refusal reason': Object.keys(REASONS),
  'A stage of the gateway': foldersIn('packages/gateway/src/stages'),
  'A limiter kind': Object.keys(LIMITER_KINDS),
  'An attack class': [...new Set(ownRules().rules.map((rule) => rule.tags.type))],
  'A field of the record': Object.keys(TRAFFIC_FIELDS),
  'A column of a site': Object.entries(SITE_COLUMNS).flatMap(([column, { field }]) =>
    // Only the API's older word for whether a site is enabled differs from the column's and the audit log's.
    field ? [`${column}|${field === 'isEnabled' ? 'isActive' : field}`] : [],
  ),
  'A console page': foldersIn('packages/console/src/pages'),
}

interface Recipe {
  readonly title: string
  /** Files and folders that every addition touches; `<…>` stands for its name. */
  readonly paths: readonly string[]
  /** Those that only some do: what is to be done there begins with "if". */
  readonly optional: readonly string[]
  /** Whether it says where tests are, and which page. */
  readonly namesTests: boolean
  readonly namesPage: boolean
}

/** Lists of things that their page says in words, not by name. */
const IN_WORDS = new Set(['A limit or timeout of the gateway'])

/** Tests mention what they need to. */
const isTest = (path: string): boolean => /(^|[/`])test\//.test(path)

function readRecipes(): readonly Recipe[] {
  const sections = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').split(/^### /m).slice(1)
  return sections.map((section) => {
    const rows = [...section.matchAll(/^\| (`[^|]+`) \| ([^|]+) \|$/gm)]
    const pathsOf = (isOptional: boolean): string[] =>
      rows
        .filter(([, , act = '']) => act.startsWith('if ') === isOptional)
        .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path))
        .filter((path) => !isTest(path))
    return {
      title: section.slice(0, section.indexOf('\n')),
      paths: pathsOf(false),
      optional: pathsOf(true),
      namesTests: isTest(section),
      namesPage: section.includes('`docs/'),
    }
  })
}

const filesAt = (path: string): string[] =>
  globSync(path.endsWith('/') ? `${path}**/*.{ts,tsx,sql}` : path, { cwd: ROOT })
const textOf = (files: readonly string[]): string =>
  files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n')
const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const mentions = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w$-])(${name}|${snakeCase(name)})(?![\\w-])`).test(text)

const recipes = readRecipes()

test('CONTRIBUTING has a list for everything that is walked here', () => {
  const titles = recipes.map(({ title }) => title)
  assert.deepEqual(
    Object.keys(EXISTING).filter((title) => !titles.includes(title)),
    [],
  )
  for (const { title, paths, namesTests } of recipes) assert.ok(paths.length + Number(namesTests) >= 2, title)
})

test('each list says where the tests of the change are, and which page tells of it', () => {
  const without = recipes.filter(({ namesTests, namesPage }) => !namesTests || !namesPage)
  assert.deepEqual(
    without.map(({ title }) => title),
    [],
  )
})

for (const { title, paths, optional } of recipes.filter(({ title }) => EXISTING[title])) {
  const names = EXISTING[title] ?? []

  test(`${title}: each file of the list mentions each that there is`, () => {
    for (const path of paths)
      for (const name of path.includes('<') ? names : []) {
        const own = path.replace(/<[^>]+>/, name)
        assert.ok(filesAt(own).length > 0, `${own} is missing`)
      }
    for (const path of paths.filter(
      (path) => !path.includes('<') && !(IN_WORDS.has(title) && path.startsWith('docs/')),
    )) {
      const text = textOf(filesAt(path))
      const missing = names.filter((name) => !mentions(text, name))
      assert.deepEqual(missing, [], path)
    }
  })

  test(`${title}: no other file has all of them`, () => {
    const listed = [...paths, ...optional].flatMap((path) => filesAt(path.replace(/<[^>]+>/, '*')))
    const others = globSync(SOURCES, { cwd: ROOT }).filter((file) => {
      if (listed.includes(file)) return false
      const text = textOf([file])
      return names.every((name) => mentions(text, name))
    })
    assert.deepEqual(others, [])
  })
}
