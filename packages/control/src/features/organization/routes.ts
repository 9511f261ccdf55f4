/** HTTP in and out of the organization's own record. */
import { PERMISSIONS, roleAllows } from '@sallyport/contract'
import { definedOnly } from '../../defined-only.ts'
import type { Handlers } from '../../http/handlers.ts'
import type { Principal } from '../../identity/principal.ts'
import type { OrganizationService } from './service.ts'

const profileOf = ({ email, token, orgId }: Principal) => ({ email, token, tenant: orgId })

export const organizationRoutes = (service: OrganizationService) =>
  ({
    accountGetProfileDetails: async ({ context }) => profileOf(context.principal),
    accountCurrentUser: async ({ context }) => profileOf(context.principal),
    accountGetRole: async ({ context: { principal } }) => ({
      kind: principal.kind,
      userId: principal.userId,
      email: principal.email,
      role: principal.role,
      permissions: PERMISSIONS.filter((permission) => roleAllows(principal.role, permission)),
    }),
    organizationGet: ({ context }) => service.get(context),
    organizationGetDetails: ({ context }) => service.getDetails(context),
    organizationUpdate: ({ context, body }) => service.rename(context, body.name),
    organizationStop: ({ context }) => service.stop(context),
    organizationResume: ({ context }) => service.resume(context),
    organizationListCredits: ({ context, query }) => service.listCredits(context, query),
    organizationChargeCredits: ({ context, body }) => service.charge(context, body.amount, body.reason),
    billingSave: ({ context, body }) => service.saveBilling(context, definedOnly(body)),
    billingGet: ({ context }) => service.getBilling(context),
    rateLimitPoliciesList: ({ context, query }) => service.listPolicies(context, query),
  }) satisfies Partial<Handlers>
