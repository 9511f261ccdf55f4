/** The templates that gateways are sent of a site: given before confirmed before learned, and no more than a gateway takes. */
import { RouteTree } from '@sallyport/policy'
import type { Transaction } from '../../../database/database.ts'
import { findRoutes, type RoutesRow, readConfirmed, saveRoutes } from './store.ts'

/** A change of the templates, as the audit log has it. */
export interface RoutesChange {
  readonly before: { readonly removed: readonly string[]; readonly routes: number }
  readonly after: { readonly added: readonly string[]; readonly routes: number }
}

/** Templates that an audit entry names. */
const NAMED_MAX = 50

/** Each template that a gateway would take, once. */
export function routesOf(templates: Iterable<string>): string[] {
  const tree = new RouteTree()
  const routes: string[] = []
  for (const template of templates) {
    const before = tree.size
    tree.add(template)
    if (tree.size > before) routes.push(template)
  }
  return routes
}

/** Stores the templates of the (locked) site anew; returns what changed, or nothing where nothing did. */
export async function refreshRoutes(
  tx: Transaction,
  orgId: string,
  siteId: string,
): Promise<RoutesChange | undefined> {
  const [row, confirmed] = await Promise.all([
    findRoutes(tx, orgId, siteId),
    readConfirmed(tx, orgId, siteId),
  ])
  const known: RoutesRow = row ?? { given: [], learned: [], routes: [] }
  const routes = routesOf([
    ...known.given,
    ...confirmed.map(({ template }) => template),
    ...known.learned.map(({ template }) => template).sort(),
  ])
  if (routes.length === known.routes.length && routes.every((route, index) => route === known.routes[index]))
    return undefined
  await saveRoutes(tx, orgId, siteId, routes)
  const before = new Set(known.routes)
  const after = new Set(routes)
  return {
    before: {
      removed: known.routes.filter((route) => !after.has(route)).slice(0, NAMED_MAX),
      routes: before.size,
    },
    after: { added: routes.filter((route) => !before.has(route)).slice(0, NAMED_MAX), routes: after.size },
  }
}
