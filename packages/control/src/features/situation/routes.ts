/** HTTP out of the situation. */
import type { Handlers } from '../../http/handlers.ts'
import type { SituationService } from './service.ts'

export const situationRoutes = (service: SituationService) =>
  ({
    analyticsGetSituation: ({ context, query }) => service.get(context, query),
  }) satisfies Partial<Handlers>
