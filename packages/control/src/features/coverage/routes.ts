/** HTTP in and out of coverage. */
import type { Handlers } from '../../http/handlers.ts'
import type { CoverageService } from './service.ts'

export const coverageRoutes = (service: CoverageService) =>
  ({
    sitesGetCoverage: ({ context, params, query }) => service.map(context.orgId, params.id, query),
    sitesGetCoverageAttempts: ({ context, params, query }) =>
      service.attempts(context.orgId, params.id, query),
    sitesGetCoverageCrossings: ({ context, params, query }) =>
      service.crossings(context.orgId, params.id, query),
    sitesExportCoverage: ({ context, params, query }) => service.exported(context.orgId, params.id, query),
    analyticsGetApiCoverage: ({ context, query }) => service.requests(context.orgId, query),
  }) satisfies Partial<Handlers>
