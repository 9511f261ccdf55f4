/** HTTP in and out of coverage. */
import type { CoverageCrossings } from '@sallyport/contract'
import type { NamesIncluder } from '../../http/answer/include-names.ts'
import type { Handlers } from '../../http/handlers.ts'
import type { CoverageService } from './service.ts'

export const coverageRoutes = (service: CoverageService, includeNames: NamesIncluder) =>
  ({
    sitesGetCoverage: ({ context, params, query }) => service.map(context.orgId, params.id, query),
    sitesGetCoverageAttempts: ({ context, params, query }) =>
      service.attempts(context.orgId, params.id, query),
    sitesGetCoverageCrossings: async ({ context, params, query }) => {
      const crossings = await service.crossings(context.orgId, params.id, query)
      return { ...crossings, ...(await includeNames(context, query.include, researchersIn(crossings))) }
    },
    sitesExportCoverage: ({ context, params, query }) => service.exported(context.orgId, params.id, query),
    analyticsGetApiCoverage: ({ context, query }) => service.requests(context.orgId, query),
  }) satisfies Partial<Handlers>

const researchersIn = ({ pairs, operations }: CoverageCrossings): string[] => [
  ...pairs.flatMap(({ hackers }) => hackers),
  ...operations.flatMap(({ samples }) => samples.flatMap(({ hackers }) => hackers)),
]
