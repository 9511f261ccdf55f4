/** The features put together: a handler for every operation of the contract. */
import { createAddressPolicy } from '@sallyport/policy'
import { learnDefinition } from './analytics/learned-definition.ts'
import type { Database } from './database/database.ts'
import { accountRoutes } from './features/account/routes.ts'
import { analyticsRoutes } from './features/analytics/routes.ts'
import { createAnalyticsService } from './features/analytics/service.ts'
import { listSiteNames } from './features/analytics/store.ts'
import { apiKeyRoutes } from './features/api-keys/routes.ts'
import { createApiKeyService } from './features/api-keys/service.ts'
import { auditLogRoutes } from './features/audit-log/routes.ts'
import { createAuditLogService } from './features/audit-log/service.ts'
import { evidenceRoutes } from './features/evidence/routes.ts'
import type { EvidenceService } from './features/evidence/service.ts'
import { createHackerCredentialService } from './features/hackers/credential-service.ts'
import { hackerCredentialRoutes, hackerRoutes } from './features/hackers/routes.ts'
import { createHackerService } from './features/hackers/service.ts'
import { memberRoutes } from './features/members/routes.ts'
import { createMemberService } from './features/members/service.ts'
import { organizationRoutes } from './features/organization/routes.ts'
import { createOrganizationService } from './features/organization/service.ts'
import { projectRoutes } from './features/projects/routes.ts'
import { createProjectService } from './features/projects/service.ts'
import { createSiteAccessService } from './features/sites/access.ts'
import { createHostAddresses } from './features/sites/origin-proof/host-addresses.ts'
import { createProofTokens } from './features/sites/origin-proof/places.ts'
import { createOriginProbe } from './features/sites/origin-proof/probe.ts'
import { createOriginProofService } from './features/sites/origin-proof/service.ts'
import {
  originProofRoutes,
  siteAccessRoutes,
  siteRoutes,
  siteSettingsRoutes,
} from './features/sites/routes.ts'
import { createSiteService } from './features/sites/service.ts'
import { createSiteSettingsService } from './features/sites/settings-service.ts'
import type { Feed } from './feed/feed.ts'
import type { Handlers } from './http/handlers.ts'
import type { Identity } from './identity/identity.ts'
import type { Cipher } from './secrets.ts'
import type { ControlSettings } from './settings.ts'
import type { Traffic } from './traffic.ts'

export interface FeaturesDependencies {
  readonly settings: ControlSettings
  readonly database: Database
  readonly cipher: Cipher
  readonly traffic: Pick<Traffic, 'store' | 'tail'>
  readonly evidence: EvidenceService
  readonly feed: Pick<Feed, 'isDeploymentProgress' | 'healthOf'>
  readonly identity: Identity
}

export function createFeatures({
  settings,
  database,
  cipher,
  traffic,
  evidence,
  feed,
  identity,
}: FeaturesDependencies): Handlers {
  const { gateDomain, gatewayPublicUrl, gateUrl } = settings
  const { isDeploymentProgress, healthOf } = feed
  const gatedNames = { gateDomain, gateHost: new URL(gateUrl).hostname }
  const originProofs = createOriginProofService({
    database,
    mode: settings.originProof,
    tokensOf: createProofTokens(settings.secretKey, settings.earlierSecretKeys ?? []),
    probe: createOriginProbe({
      addressesOf: createHostAddresses(),
      allowed: createAddressPolicy(settings.allowPrivateOrigins),
      public: createAddressPolicy([]),
    }),
  })
  const sites = createSiteService({ database, cipher, gatedNames, originProofs, isDeploymentProgress })
  const siteSettings = createSiteSettingsService({
    database,
    gatewayPublicUrl,
    healthOf,
    learnDefinition: (site) => learnDefinition(traffic.store, site),
  })
  const analytics = createAnalyticsService({
    ...traffic,
    sitesOf: (orgId) => database.read(orgId, (tx) => listSiteNames(tx, orgId)),
  })
  return {
    ...siteRoutes(sites),
    ...siteAccessRoutes(createSiteAccessService({ database })),
    ...siteSettingsRoutes(siteSettings),
    ...originProofRoutes(originProofs),
    ...projectRoutes(createProjectService({ database })),
    ...auditLogRoutes(createAuditLogService({ database })),
    ...hackerRoutes(createHackerService({ database, gateUrl })),
    ...hackerCredentialRoutes(createHackerCredentialService({ database, gateUrl })),
    ...analyticsRoutes(analytics),
    ...evidenceRoutes(evidence),
    ...organizationRoutes(createOrganizationService({ database })),
    ...apiKeyRoutes(createApiKeyService({ database, changed: identity.forget })),
    ...memberRoutes(
      createMemberService({
        database,
        hasLocalAccounts: identity.accounts !== null,
        invitationUrl: identity.invitationUrl,
        changed: identity.forget,
      }),
    ),
    ...accountRoutes(identity.accounts),
  }
}
