/** The operations of a site as far as they are known: those of its document, and those learned that the document does not list. */
import type { LearnedOperation } from '@sallyport/api-learning'
import type { Database } from '../../../database/database.ts'
import { readRowWith } from '../../../http/rows.ts'
import { findDefinition } from '../settings/store.ts'
import { findSite } from '../store.ts'
import type { ApiLearner } from './api-learner.ts'
import { type ApiOperation, operationsOfDocument } from './document-operations.ts'

export interface KnownOperations {
  readonly siteId: string
  readonly originName: string
  readonly gatedName: string
  /** Given ones first. A learned one may be the same as a given one under other names of its parameters. */
  readonly operations: readonly ApiOperation[]
}

/** Throws a 404 for a site that the organization does not have. */
export async function knownOperations(
  database: Database,
  apiLearner: Pick<ApiLearner, 'learn'>,
  orgId: string,
  id: string,
): Promise<KnownOperations> {
  const [site, uploaded] = await readRowWith(database, orgId, id, findSite, findDefinition)
  const given = uploaded ? operationsOfDocument(JSON.parse(uploaded)) : []
  const learned = await apiLearner.learn({ orgId, id: site.id })
  return {
    siteId: site.id,
    originName: site.origin_name,
    gatedName: site.gated_name,
    operations: [...given, ...learned.filter(({ state }) => state !== 'candidate').map(learnedOperation)],
  }
}

const learnedOperation = ({ method, template, parameters }: LearnedOperation): ApiOperation => ({
  method,
  template,
  source: 'learned',
  parameters: parameters.map(({ place, name }) => ({ place, name })),
})
