/** HTTP in and out of the analytics. */
import type { TrafficEvent } from '@sallyport/contract'
import { invalid, notFound, ProblemError } from '../../errors.ts'
import type { RequestContext } from '../../http/context.ts'
import type { Handlers } from '../../http/handlers.ts'
import { BadParameter } from '../../http/request/window.ts'
import { TooManyFollowers } from '../../live-tail/live-tail.ts'
import { recordedRequestOf } from './recorded-request.ts'
import type { AnalyticsService } from './service.ts'

const NEVER_CACHED_STREAM = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' }

export const analyticsRoutes = (service: AnalyticsService) =>
  ({
    analyticsGetSummaryTrafficTable: ({ context, body, query }) =>
      answer(placeInSummary, () => service.summary(context.orgId, { ...query, ...body })),
    analyticsGetWafSummaryRulesTimeline: asked(service.rulesTimeline),
    analyticsGetTrafficTimeline: asked(service.timeline),
    analyticsGetTotalRequest: asked(service.totals),
    analyticsGetTimeline: asked(service.timeline),
    analyticsGetFacets: ({ context, query, signal }) =>
      answer('query', () => service.facets(context.orgId, query, signal)),
    analyticsGetActivity: asked(service.activity),
    analyticsGetRules: asked(service.rules),
    analyticsTryExclusion: ({ context, body }) =>
      answer('', async () => withSamples(await service.tryExclusion(context.orgId, body))),
    analyticsProposeExclusion: ({ context, body }) =>
      answer('', async () => {
        const proposal = await service.proposeExclusion(context.orgId, body)
        if (!proposal) throw notFound()
        return withSamples(proposal)
      }),
    analyticsListRequests: ({ context, query }) =>
      answer('query', async () => {
        const page = await service.requests(context.orgId, query)
        return { ...page, items: page.items.map(recordedRequestOf) }
      }),
    analyticsGetRequest: ({ context, params }) =>
      answer('', async () => {
        const events = await service.request(context.orgId, params.id)
        if (events.length === 0) throw notFound()
        return { events: events.map(recordedRequestOf) }
      }),
    analyticsTail: ({ context, query, admission }) =>
      answer('query', async () => ({
        stream: service.tail(context.orgId, query, admission),
        contentType: 'text/event-stream; charset=utf-8',
        headers: NEVER_CACHED_STREAM,
      })),
    analyticsExport: asked(service.export),
  }) satisfies Partial<Handlers>

const withSamples = <Found extends { readonly samples: readonly TrafficEvent[] }>({
  samples,
  ...found
}: Found) => ({ ...found, samples: samples.map(recordedRequestOf) })

/** Where a parameter was: in the query, or, as an empty string, in the body. */
type Place = 'query' | ''
const placeInSummary = (parameter: string): Place => (parameter === 'timeZone' ? 'query' : '')

/** A handler that answers what `work` makes of the query. */
const asked =
  <Query, Answer>(work: (orgId: string, query: Query) => Promise<Answer>) =>
  ({ context, query }: { readonly context: RequestContext; readonly query: Query }): Promise<Answer> =>
    answer('query', () => work(context.orgId, query))

/** Says what is wrong with a request in the words of the API. */
async function answer<Answer>(
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
