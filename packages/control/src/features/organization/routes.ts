/** HTTP in and out of the organization's own record. */
import { definedOnly } from '../../http/defined-only.ts'
import type { Handlers } from '../../http/handlers.ts'
import type { OrganizationService } from './service.ts'

export const organizationRoutes = (service: OrganizationService) =>
  ({
    accountGetProfileDetails: ({ context }) => service.getProfile(context),
    accountCurrentUser: ({ context }) => service.getProfile(context),
    accountGetRole: ({ context }) => service.getRole(context),
    accountGetSession: ({ context }) => service.getSession(context),
    organizationGet: ({ context }) => service.get(context),
    organizationGetDetails: ({ context }) => service.getDetails(context),
    organizationUpdate: ({ context, body }) => service.update(context, body),
    organizationStop: ({ context }) => service.stop(context),
    organizationResume: ({ context }) => service.resume(context),
    organizationListCredits: ({ context, query }) => service.listCredits(context, query),
    organizationChargeCredits: ({ context, body }) => service.charge(context, body.amount, body.reason),
    billingSave: ({ context, body }) => service.saveBilling(context, definedOnly(body)),
    billingGet: ({ context }) => service.getBilling(context),
    rateLimitPoliciesList: ({ context, query }) => service.listPolicies(context, query),
  }) satisfies Partial<Handlers>
