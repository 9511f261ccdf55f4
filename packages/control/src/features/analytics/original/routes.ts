/** HTTP in and out of the counts of the original interface. */
import type { Handlers } from '../../../http/handlers.ts'
import { answer, asked } from '../answer.ts'
import type { OriginalAnalyticsService } from './service.ts'

export const originalAnalyticsRoutes = (service: OriginalAnalyticsService) =>
  ({
    analyticsGetMostActiveUsers: asked(service.mostActiveUsers),
    analyticsGetPathDiscovery: asked(service.pathDiscovery),
    analyticsGetTrafficTable: asked(service.trafficTable),
    analyticsGetSummaryTimeline: ({ context, query, body }) =>
      answer(
        (parameter) => (parameter === 'timeZone' || parameter === 'interval' ? 'query' : ''),
        () => service.summaryTimeline(context.orgId, { ...query, ...body }),
      ),
    analyticsGetWafMessages: asked(service.messages),
    analyticsGetWafAttackTypes: asked(service.attackTypes),
    analyticsGetWafRulesTimeline: asked(service.attackTypesTimeline),
  }) satisfies Partial<Handlers>
