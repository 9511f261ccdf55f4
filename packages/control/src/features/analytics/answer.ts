/** How handlers of the analytics answer. What cannot be read of a query is said where every error is; here it may have been in the body. */
import { invalid } from '../../errors.ts'
import type { RequestContext } from '../../http/context.ts'
import { BadParameter } from '../../http/request/window.ts'

/** A handler that answers what `work` makes of the query. */
export const asked =
  <Query, Answer>(work: (orgId: string, query: Query) => Promise<Answer>) =>
  ({ context, query }: { readonly context: RequestContext; readonly query: Query }): Promise<Answer> =>
    work(context.orgId, query)

/** Answers what `work` makes of a body, and says what cannot be read there. `ofQuery` are parameters that come in the query all the same. */
export async function answerBody<Answer>(
  work: () => Promise<Answer>,
  ofQuery: readonly string[] = [],
): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof BadParameter) || ofQuery.includes(error.parameter)) throw error
    throw invalid(`/${error.parameter}`, error.message)
  }
}
