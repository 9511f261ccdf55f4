/** HTTP in and out of the analytics. */
import type { TrafficEvent } from '@sallyport/contract'
import { notFound } from '../../errors.ts'
import type { Handlers } from '../../http/handlers.ts'
import { answerBody, asked } from './answer.ts'
import type { PreviewService } from './preview/service.ts'
import { recordedRequestOf } from './recorded-request.ts'
import type { AnalyticsService } from './service.ts'

const NEVER_CACHED_STREAM = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' }

export const analyticsRoutes = (service: AnalyticsService) =>
  ({
    analyticsGetSummaryTrafficTable: ({ context, body, query }) =>
      answerBody(() => service.summary(context.orgId, { ...query, ...body }), ['timeZone']),
    analyticsGetWafSummaryRulesTimeline: asked(service.rulesTimeline),
    analyticsGetTrafficTimeline: asked(service.timeline),
    analyticsGetTotalRequest: asked(service.totals),
    analyticsGetTimeline: asked(service.timeline),
    analyticsGetFacets: ({ context, query, signal }) => service.facets(context.orgId, query, signal),
    analyticsGetActivity: asked(service.activity),
    analyticsGetRules: asked(service.rules),
    analyticsTryExclusion: ({ context, body }) =>
      answerBody(async () => withSamples(await service.tryExclusion(context.orgId, body))),
    analyticsProposeExclusion: ({ context, body }) =>
      answerBody(async () => {
        const proposal = await service.proposeExclusion(context.orgId, body)
        if (!proposal) throw notFound()
        return withSamples(proposal)
      }),
    analyticsListRequests: async ({ context, query }) => {
      const page = await service.requests(context.orgId, query)
      return { ...page, items: page.items.map(recordedRequestOf) }
    },
    analyticsGetRequest: async ({ context, params }) => {
      const events = await service.request(context.orgId, params.id)
      if (events.length === 0) throw notFound()
      return { events: events.map(recordedRequestOf) }
    },
    analyticsTail: async ({ context, query, admission }) => ({
      stream: service.tail(context.orgId, query, admission),
      contentType: 'text/event-stream; charset=utf-8',
      headers: NEVER_CACHED_STREAM,
    }),
    analyticsExport: asked(service.export),
  }) satisfies Partial<Handlers>

const withSamples = <Found extends { readonly samples: readonly TrafficEvent[] }>({
  samples,
  ...found
}: Found) => ({ ...found, samples: samples.map(recordedRequestOf) })

export const previewRoutes = (service: PreviewService) =>
  ({
    analyticsPreviewChange: ({ context, body, signal }) =>
      answerBody(async () => withSamples(await service.preview(context.orgId, body, signal))),
  }) satisfies Partial<Handlers>
