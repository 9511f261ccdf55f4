/** A project with its checks, as the evidence of one of its sites has it. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, Transaction } from '../../../database/database.ts'
import { readRowWith } from '../../../http/rows.ts'
import { presentProject } from '../project-view.ts'
import { findProject } from '../store.ts'
import { presentTies, type SiteMap, verdictOfCheck } from './check-verdict.ts'
import { presentCheck } from './check-view.ts'
import * as store from './store.ts'

const PAGE_ROWS = 500

/** Throws a 404 for a project that the organization does not have. */
export async function projectEvidence(database: Database, orgId: string, projectId: string) {
  const [project, rows] = await readRowWith(database, orgId, projectId, findProject, (tx) =>
    allChecks(tx, orgId, projectId),
  )
  return {
    id: project.id,
    name: project.name ?? '',
    document: async (site: { readonly id: string; readonly gatedName: string }, coverage: SiteMap) => {
      const items: ReturnType<typeof itemOf>[] = []
      for (const row of rows) {
        await nextTurn()
        items.push(itemOf(row, site, coverage))
      }
      return { project: presentProject(project), items }
    },
  }
}

async function allChecks(tx: Transaction, orgId: string, projectId: string): Promise<store.CheckRow[]> {
  const rows: store.CheckRow[] = []
  for (let after: string | null = null; ; after = rows.at(-1)?.id ?? null) {
    const page: store.CheckRow[] = await store.listChecks(
      tx,
      orgId,
      { projectId },
      { limit: PAGE_ROWS, after },
    )
    rows.push(...page.slice(0, PAGE_ROWS))
    if (page.length <= PAGE_ROWS) return rows
  }
}

/** Of its ties those to the site of the pack: what is known of others is not in it. */
function itemOf(
  row: store.CheckRow,
  site: { readonly id: string; readonly gatedName: string },
  coverage: SiteMap,
) {
  const check = presentCheck(row)
  const ties = check.ties.filter(({ siteId }) => siteId === site.id)
  const own = { ...check, ties }
  const sites = { names: new Map([[site.id, site.gatedName]]), maps: new Map([[site.id, coverage]]) }
  const { id, name, type, location } = row
  return {
    ...{ id, name, type, location },
    ...own,
    ties: presentTies(own, sites),
    tiesElsewhere: check.ties.length - ties.length,
    verdict: verdictOfCheck(own, sites),
  }
}
