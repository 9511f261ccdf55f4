/** HTTP in and out of the analytics. */
import { type Facet, roleAllows, type TrafficEvent } from '@sallyport/contract'
import type { ChangesBetween } from '../../audit/change-marks.ts'
import { notFound } from '../../errors.ts'
import type { AdmitExport } from '../../http/answer/concurrent-exports.ts'
import type { NamesIncluder } from '../../http/answer/include-names.ts'
import type { Handlers } from '../../http/handlers.ts'
import { answerBody, asked } from './answer.ts'
import type { PreviewService } from './preview/service.ts'
import { recordedRequestOf } from './recorded-request.ts'
import type { AnalyticsService } from './service.ts'
import type { FacetValues } from './store/facets.ts'

const NEVER_CACHED_STREAM = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' }

export interface AnalyticsRoutesDeps {
  /** What an answer has beyond its counts where it is asked for. */
  readonly includeNames: NamesIncluder
  readonly changesBetween: ChangesBetween
  readonly admitExport: AdmitExport
}

export const analyticsRoutes = (
  service: AnalyticsService,
  { includeNames, changesBetween, admitExport }: AnalyticsRoutesDeps,
) =>
  ({
    analyticsGetSummaryTrafficTable: ({ context, body, query }) =>
      answerBody(() => service.summary(context.orgId, { ...query, ...body }), ['timeZone']),
    analyticsGetWafSummaryRulesTimeline: asked(service.rulesTimeline),
    analyticsGetTrafficTimeline: asked(service.timeline),
    analyticsGetTotalRequest: asked(service.totals),
    analyticsGetTimeline: async ({ context, query }) => {
      const timeline = await service.timeline(context.orgId, query)
      const changes = query.include?.includes('changes') && (await changesBetween(context, timeline))
      return { ...timeline, ...(changes && { changes }) }
    },
    analyticsGetFacets: async ({ context, query, signal }) => {
      const counted = await service.facets(context.orgId, query, signal)
      const names = await includeNames(context, query.include, valuesOf(counted, 'hacker'))
      if (!query.include?.includes('sites') || !roleAllows(context.principal.role, 'sites:read'))
        return { ...counted, ...names }
      const hosts = new Set(valuesOf(counted, 'leadsTo'))
      return { ...counted, ...names, hostSites: await service.sitesAtHosts(context.orgId, hosts) }
    },
    analyticsGetActivity: async ({ context, query }) => {
      const activity = await service.activity(context.orgId, query)
      const ids = query.by === 'hacker' ? activity.rows.map(({ value }) => value) : []
      return { ...activity, ...(await includeNames(context, query.include, ids)) }
    },
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
      const ids = page.items.map(({ researcherId }) => researcherId)
      const names = await includeNames(context, query.include, ids)
      return { ...page, items: page.items.map(recordedRequestOf), ...names }
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
      endsItself: true,
    }),
    analyticsExport: ({ context, query, admission }) => {
      admitExport(context.orgId, admission)
      return service.export(context.orgId, query, admission)
    },
  }) satisfies Partial<Handlers>

const withSamples = <Found extends { readonly samples: readonly TrafficEvent[] }>({
  samples,
  ...found
}: Found) => ({ ...found, samples: samples.map(recordedRequestOf) })

const valuesOf = ({ facets }: { readonly facets: readonly FacetValues<Facet>[] }, wanted: Facet): string[] =>
  facets.flatMap(({ field, values }) => (field === wanted ? values.map(({ value }) => value) : []))

export const previewRoutes = (service: PreviewService) =>
  ({
    analyticsPreviewChange: ({ context, body, signal }) =>
      answerBody(async () => withSamples(await service.preview(context.orgId, body, signal))),
  }) satisfies Partial<Handlers>
