import { type ResearcherName, roleAllows } from '@sallyport/contract'
import type { Database } from '../../database/database.ts'
import type { RequestContext } from '../context.ts'
import { findResearcherNames } from './researcher-names-store.ts'

/** Of an answer that names researchers by id, where it was asked for and the role may read it: what they are called. */
export type NamesIncluder = (
  context: Pick<RequestContext, 'orgId' | 'principal'>,
  include: readonly string[] | undefined,
  ids: Iterable<string>,
) => Promise<{ readonly researcherNames?: ResearcherName[] }>

export const createNamesIncluder =
  (database: Pick<Database, 'read'>): NamesIncluder =>
  async ({ orgId, principal }, include, ids) => {
    if (!include?.includes('names') || !roleAllows(principal.role, 'researchers:read')) return {}
    // Strangers have no id.
    const asked = [...new Set(ids)].filter((id) => id !== '')
    const names = await database.read(orgId, (tx) => findResearcherNames(tx, orgId, asked))
    return { researcherNames: asked.map((id) => ({ id, name: names.get(id) ?? null })) }
  }
