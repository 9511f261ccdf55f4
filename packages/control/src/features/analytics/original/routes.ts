/** HTTP in and out of the counts of the original interface. */
import type { Handlers } from '../../../http/handlers.ts'
import { answerBody, asked } from '../answer.ts'
import type { OriginalAnalyticsService } from './service.ts'

export const originalAnalyticsRoutes = (service: OriginalAnalyticsService) =>
  ({
    analyticsGetMostActiveUsers: asked(service.mostActiveUsers),
    analyticsGetPathDiscovery: asked(service.pathDiscovery),
    analyticsGetTrafficTable: asked(service.trafficTable),
    analyticsGetSummaryTimeline: ({ context, query, body }) =>
      answerBody(
        () => service.summaryTimeline(context.orgId, { ...query, ...body }),
        ['timeZone', 'interval'],
      ),
    analyticsGetWafMessages: asked(service.messages),
    analyticsGetWafAttackTypes: asked(service.attackTypes),
    analyticsGetWafRulesTimeline: asked(service.attackTypesTimeline),
  }) satisfies Partial<Handlers>
