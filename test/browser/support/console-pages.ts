/**
 * Every address of the console, read from its route tree and its tabs, so that a page cannot be added and left out of
 * the tests that visit them all. The sources are read as text: they are written for a browser.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const SOURCES = resolve(import.meta.dirname, '../../../packages/console/src')
const read = (path: string): string => readFileSync(resolve(SOURCES, path), 'utf8')

/** Files whose `TABS` name the values of `$tab`, by the route that takes it. */
const TABS: Readonly<Record<string, string>> = {
  '/sites/$siteId/$tab': 'pages/sites/site-page.tsx',
  '/projects/$projectId/$tab': 'pages/projects/project-page.tsx',
  '/organization/$tab': 'pages/organization/organization-page.tsx',
}

/** What stands for the parameters of the addresses. */
export interface PageIds {
  readonly siteId: string
  readonly researcherId: string
  readonly projectId: string
}

/** A route: its name, and the pattern that is the first text of its declaration, or stands in its line `path`. */
const ROUTE = /^const (\w+) = (?:createRoute\(\{\n(?: {2}.*\n)*? {2}path: |pageAt\(\s*)'([^']+)'/gm

/** The patterns of all routes, for example `/sites/$siteId/$tab`. */
function routePatterns(): readonly string[] {
  const source = read('app/router.tsx')
  const routes = /\.addChildren\(\[([^\]]*)\]/.exec(source)?.[1]?.match(/\w+/g) ?? []
  const patterns = new Map([...source.matchAll(ROUTE)].map(([, name, pattern]) => [name, pattern]))
  if (routes.length === 0) throw new Error('the router has no routes')
  return routes.map((route) => {
    const pattern = patterns.get(route)
    if (pattern === undefined) throw new Error(`it is not known what the path of the route ${route} is`)
    return pattern
  })
}

/** An address for each route, and for each tab of those that have tabs. */
export const consolePaths = (ids: PageIds): readonly string[] =>
  routePatterns().flatMap((pattern) =>
    tabsOf(pattern).map((tab) =>
      pattern.replace(/\$(\w+)/g, (_whole, name: string) => (name === 'tab' ? tab : idOf(ids, name))),
    ),
  )

function tabsOf(pattern: string): readonly string[] {
  if (!pattern.includes('$tab')) return ['']
  const file = TABS[pattern]
  if (file === undefined) throw new Error(`it is not known which tabs ${pattern} has`)
  const table = /^const TABS[\s\S]*?^}/m.exec(read(file))?.[0] ?? ''
  const names = [...table.matchAll(/^ {2}(\w+): \{ label:/gm)].map((match) => match[1] ?? '')
  if (names.length === 0) throw new Error(`no tab was found in ${file}`)
  return names
}

function idOf(ids: PageIds, name: string): string {
  if (name === 'siteId' || name === 'researcherId' || name === 'projectId') return ids[name]
  throw new Error(`nothing stands for $${name}`)
}
