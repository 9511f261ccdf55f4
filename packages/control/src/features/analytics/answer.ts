/** How a handler of the analytics answers: what cannot be read of a request is said in the words of the API. */
import { invalid, ProblemError } from '../../errors.ts'
import type { RequestContext } from '../../http/context.ts'
import { BadParameter } from '../../http/request/window.ts'
import { TooManyFollowers } from '../../live-tail/live-tail.ts'

/** Where a parameter was: in the query, or, as an empty string, in the body. */
type Place = 'query' | ''

/** A handler that answers what `work` makes of the query. */
export const asked =
  <Query, Answer>(work: (orgId: string, query: Query) => Promise<Answer>) =>
  ({ context, query }: { readonly context: RequestContext; readonly query: Query }): Promise<Answer> =>
    answer('query', () => work(context.orgId, query))

/** Says what is wrong with a request in the words of the API. */
export async function answer<Answer>(
  place: Place | ((parameter: string) => Place),
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BadParameter) {
      const where = typeof place === 'string' ? place : place(error.parameter)
      throw invalid(`${where}/${error.parameter}`, error.message)
    }
    if (error instanceof TooManyFollowers) throw new ProblemError('too_many_requests', { cause: error })
    throw error
  }
}
