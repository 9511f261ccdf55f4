/** HTTP in and out of the story of researchers. */
import type { Handlers } from '../../../http/handlers.ts'
import { asked } from '../answer.ts'
import type { ResearcherStoryService } from './service.ts'

export const researcherStoryRoutes = (service: ResearcherStoryService) =>
  ({
    analyticsListVisits: asked(service.visits),
    analyticsListSteps: asked(service.steps),
    analyticsGetProfiles: asked(service.profiles),
  }) satisfies Partial<Handlers>
