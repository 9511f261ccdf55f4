/** HTTP in and out of coverage. */
import { invalid } from '../../errors.ts'
import type { Handlers } from '../../http/handlers.ts'
import { BadParameter } from '../../http/request/window.ts'
import type { CoverageService } from './service.ts'

export const coverageRoutes = (service: CoverageService) =>
  ({
    sitesGetCoverage: ({ context, params, query }) =>
      answer(() => service.map(context.orgId, params.id, query)),
    sitesGetCoverageAttempts: ({ context, params, query }) =>
      answer(() => service.attempts(context.orgId, params.id, query)),
    sitesGetCoverageCrossings: ({ context, params, query }) =>
      answer(() => service.crossings(context.orgId, params.id, query)),
    sitesExportCoverage: ({ context, params, query }) =>
      answer(() => service.exported(context.orgId, params.id, query)),
    analyticsGetApiCoverage: ({ context, query }) => answer(() => service.requests(context.orgId, query)),
  }) satisfies Partial<Handlers>

async function answer<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BadParameter) throw invalid(`query/${error.parameter}`, error.message)
    throw error
  }
}
