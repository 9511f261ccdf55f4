/** HTTP in and out of the story of researchers. */
import type { Handlers } from '../../../http/handlers.ts'
import { asked } from '../answer.ts'
import type { BudgetService } from './budget.ts'
import type { ResearcherStoryService } from './service.ts'

export const researcherStoryRoutes = (service: ResearcherStoryService, budget: BudgetService) =>
  ({
    analyticsListVisits: asked(service.visits),
    analyticsListSteps: asked(service.steps),
    analyticsGetProfiles: asked(service.profiles),
    hackersGetBudget: ({ context, params }) => budget.get(context.orgId, params.id),
  }) satisfies Partial<Handlers>
