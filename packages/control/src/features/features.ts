/** The root of the features: a handler for every operation of the contract. */
import { createAddressPolicy } from '@sallyport/policy'
import { createChangesBetween } from '../audit/change-marks.ts'
import type { Retention } from '../collector/retention.ts'
import type { Traffic } from '../collector/traffic.ts'
import type { Database } from '../database/database.ts'
import type { Feed } from '../feed/feed.ts'
import type { GatewayAccess } from '../gateway-access/gateway-access.ts'
import { createExportAdmission } from '../http/answer/concurrent-exports.ts'
import { createNamesIncluder } from '../http/answer/include-names.ts'
import type { Handlers } from '../http/handlers.ts'
import type { Identity } from '../identity/identity.ts'
import type { Notify } from '../notify/notify.ts'
import type { AddressesOf } from '../outgoing/host-addresses.ts'
import type { Cipher } from '../secrets/cipher.ts'
import type { ControlSettings } from '../settings.ts'
import { accountRoutes } from './account/routes.ts'
import { findEmails, listSiteNames } from './analytics/names-store.ts'
import { originalAnalyticsRoutes } from './analytics/original/routes.ts'
import { createOriginalAnalyticsService } from './analytics/original/service.ts'
import { createPreviewService } from './analytics/preview/service.ts'
import { findPlanPolicy, findPreviewedSite } from './analytics/preview/site-store.ts'
import { recordedPaths } from './analytics/recorded-paths-store.ts'
import { createBudgetService } from './analytics/researchers/budget.ts'
import { rosterActivity } from './analytics/researchers/roster-activity.ts'
import { researcherStoryRoutes } from './analytics/researchers/routes.ts'
import { createResearcherStoryService } from './analytics/researchers/service.ts'
import { analyticsRoutes, previewRoutes } from './analytics/routes.ts'
import { createAnalyticsService } from './analytics/service.ts'
import { siteNamed } from './analytics/site-names.ts'
import { siteTraffic } from './analytics/site-traffic.ts'
import { newestRequestSince, situationTraffic } from './analytics/situation/situation-traffic.ts'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { createApiKeyService } from './api-keys/service.ts'
import { auditLogRoutes } from './audit-log/routes.ts'
import { createAuditLogService } from './audit-log/service.ts'
import { coverageRoutes } from './coverage/routes.ts'
import { createCoverageService } from './coverage/service.ts'
import { evidenceRoutes } from './evidence/routes.ts'
import type { EvidenceService } from './evidence/service.ts'
import { gatewayRoutes } from './gateways/routes.ts'
import { createGatewayService } from './gateways/service.ts'
import { createHackerCredentialService } from './hackers/credential-service.ts'
import { findOrAddResearcher } from './hackers/find-or-add.ts'
import { createRosterService } from './hackers/roster/roster-service.ts'
import { hackerCredentialRoutes, hackerRoutes } from './hackers/routes.ts'
import { createHackerService } from './hackers/service.ts'
import { memberRoutes } from './members/routes.ts'
import { createMemberService } from './members/service.ts'
import { createDeliveryService } from './notifications/delivery-service.ts'
import { createDestinationService } from './notifications/destination-service.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { organizationRoutes } from './organization/routes.ts'
import { createOrganizationService } from './organization/service.ts'
import { createCheckService } from './projects/checks/service.ts'
import { projectCheckRoutes, projectRoutes } from './projects/routes.ts'
import { createProjectService } from './projects/service.ts'
import { savedViewRoutes } from './saved-views/routes.ts'
import { createSavedViewService } from './saved-views/service.ts'
import { createSiteAccessService } from './sites/access.ts'
import type { ApiLearner } from './sites/definition/api-learner.ts'
import type { RuleCompiler } from './sites/definition-rule/rule-compiler.ts'
import type { DocumentWorker } from './sites/documents/document-worker.ts'
import { createSiteDocumentService } from './sites/documents/service.ts'
import { createDocumentVersionService } from './sites/documents/version-service.ts'
import { createSiteGroupService } from './sites/groups/service.ts'
import type { OperationsInForce } from './sites/operations/known-operations.ts'
import { createApiOperationService } from './sites/operations/service.ts'
import { createProofTokens } from './sites/origin-proof/places.ts'
import { createOriginProbe } from './sites/origin-proof/probe.ts'
import { createOriginProofService } from './sites/origin-proof/service.ts'
import { createResearcherListService } from './sites/original/researcher-list.ts'
import { originalSiteRoutes } from './sites/original/routes.ts'
import {
  apiOperationRoutes,
  documentVersionRoutes,
  originProofRoutes,
  siteAccessRoutes,
  siteDocumentRoutes,
  siteGroupRoutes,
  siteRoutes,
  siteSettingsRoutes,
} from './sites/routes.ts'
import { createSiteService } from './sites/service.ts'
import { createSiteSettingsService } from './sites/settings/service.ts'
import { situationRoutes } from './situation/routes.ts'
import { createSituationService } from './situation/service.ts'

export interface FeaturesDependencies {
  readonly settings: ControlSettings
  readonly database: Database
  readonly cipher: Cipher
  readonly addressesOf: AddressesOf
  readonly traffic: Pick<Traffic, 'store' | 'tail'>
  readonly evidence: EvidenceService
  readonly apiLearner: Pick<ApiLearner, 'learn'>
  readonly operationsInForce: OperationsInForce
  readonly documentWorker: Pick<DocumentWorker, 'work'>
  readonly ruleCompiler: Pick<RuleCompiler, 'compile'>
  readonly feed: Pick<
    Feed,
    'isDeploymentProgress' | 'isOrganizationDeploying' | 'healthOf' | 'gatewaysOf' | 'synchronizeGateways'
  >
  readonly access: GatewayAccess
  readonly identity: Identity
  readonly notify: Pick<Notify, 'mail'>
  readonly retention: Pick<Retention, 'keptFrom'>
}

export function createFeatures({
  settings,
  database,
  cipher,
  addressesOf,
  traffic,
  evidence,
  apiLearner,
  operationsInForce,
  documentWorker,
  ruleCompiler,
  feed,
  access,
  identity,
  notify,
  retention,
}: FeaturesDependencies): Handlers {
  const { gateDomain, gatewayPublicUrl, gateUrl } = settings
  const { isDeploymentProgress, healthOf } = feed
  const gatedNames = { gateDomain, gateHost: new URL(gateUrl).hostname }
  const originProofs = createOriginProofService({
    database,
    mode: settings.originProof,
    tokensOf: createProofTokens(settings.secretKey, settings.earlierSecretKeys ?? []),
    probe: createOriginProbe({
      addressesOf,
      allowed: createAddressPolicy(settings.allowPrivateOrigins),
      public: createAddressPolicy([]),
    }),
  })
  const sites = createSiteService({
    ...{ database, cipher, gatedNames, originProofs, isDeploymentProgress, healthOf },
  })
  const siteSettings = createSiteSettingsService({
    database,
    gatewayPublicUrl,
    healthOf,
    apiLearner,
    documentWorker,
    ruleCompiler,
    recordedPathsOf: (orgId, siteId, from) => recordedPaths(traffic.store, { orgId, siteId }, from),
  })
  const documentDeps = { database, gatewayPublicUrl, documentWorker, ruleCompiler }
  const siteDocuments = createSiteDocumentService(documentDeps)
  const analyticsDeps = {
    ...traffic,
    gateDomain,
    keptFrom: retention.keptFrom,
    sitesOf: (orgId: string) => database.read(orgId, (tx) => listSiteNames(tx, orgId)),
    emailsOf: (orgId: string, ids: readonly string[]) =>
      database.read(orgId, (tx) => findEmails(tx, orgId, ids)),
  }
  const includeNames = createNamesIncluder(database)
  const changesBetween = createChangesBetween(database)
  const admitExport = createExportAdmission()
  const coverage = createCoverageService({
    siteNamed: async (orgId, name) => siteNamed(name, await analyticsDeps.sitesOf(orgId), gateDomain),
    siteOf: operationsInForce.of,
    // As the analytics read it.
    trafficOf: (window) =>
      siteTraffic(traffic.store, {
        ...window,
        from: Math.max(window.from, retention.keptFrom(window.orgId)),
      }),
  })
  return {
    ...siteRoutes(sites),
    ...originalSiteRoutes(
      sites,
      createResearcherListService({ database, findOrAddResearcher }),
      siteDocuments,
    ),
    ...siteAccessRoutes(createSiteAccessService({ database })),
    ...siteSettingsRoutes(siteSettings),
    ...siteDocumentRoutes(siteDocuments),
    ...apiOperationRoutes(createApiOperationService({ database, apiLearner })),
    ...documentVersionRoutes(createDocumentVersionService(documentDeps)),
    ...siteGroupRoutes(createSiteGroupService({ database, gatedNames })),
    ...originProofRoutes(originProofs),
    ...projectRoutes(createProjectService({ database })),
    ...projectCheckRoutes(
      createCheckService({
        database,
        coverageOf: (orgId, siteId, window) =>
          coverage.map(orgId, siteId, { ...window, parameters: 'false', hackers: 'true' }),
      }),
    ),
    ...auditLogRoutes(createAuditLogService({ database })),
    ...hackerRoutes(
      createHackerService({ database, gateUrl }),
      createRosterService({
        database,
        activityOf: (orgId, window) => rosterActivity(traffic.store, orgId, window),
      }),
    ),
    ...hackerCredentialRoutes(createHackerCredentialService({ database, gateUrl })),
    ...analyticsRoutes(createAnalyticsService(analyticsDeps), {
      includeNames,
      changesBetween,
      admitExport,
    }),
    ...originalAnalyticsRoutes(createOriginalAnalyticsService(analyticsDeps)),
    ...researcherStoryRoutes(
      createResearcherStoryService(analyticsDeps),
      createBudgetService({ database, store: traffic.store }),
    ),
    ...coverageRoutes(coverage, includeNames),
    ...situationRoutes(
      createSituationService({
        database,
        newestSince: (orgId, from) => newestRequestSince(traffic.store, orgId, from),
        trafficOf: (span, max) => situationTraffic(traffic.store, span, max),
        changesBetween,
      }),
    ),
    ...savedViewRoutes(createSavedViewService({ database })),
    ...previewRoutes(
      createPreviewService({
        ...analyticsDeps,
        siteOf: (orgId, id, since) => database.read(orgId, (tx) => findPreviewedSite(tx, orgId, id, since)),
        policyOf: (orgId, name) => database.read(orgId, (tx) => findPlanPolicy(tx, orgId, name)),
      }),
    ),
    ...evidenceRoutes(evidence, admitExport),
    ...gatewayRoutes(createGatewayService({ database, feed, access })),
    ...organizationRoutes(
      createOrganizationService({
        database,
        version: settings.version,
        isDeploymentProgress: feed.isOrganizationDeploying,
      }),
    ),
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
    ...notificationRoutes(
      createDestinationService({ database, cipher, webhooks: settings.notify, mail: notify.mail }),
      createDeliveryService({ database }),
    ),
  }
}
