/** HTTP out of the situation. */
import { invalid } from '../../errors.ts'
import type { Handlers } from '../../http/handlers.ts'
import { BadParameter } from '../../http/request/window.ts'
import type { SituationService } from './service.ts'

export const situationRoutes = (service: SituationService) =>
  ({
    analyticsGetSituation: async ({ context, query }) => {
      try {
        return await service.get(context, query)
      } catch (error) {
        if (error instanceof BadParameter) throw invalid(`query/${error.parameter}`, error.message)
        throw error
      }
    },
  }) satisfies Partial<Handlers>
