/**
 * Every operation of the admin API. The server routes by this list, the client calls by it, the OpenAPI document and the
 * tests are made from it.
 */

import { accessOperations } from './access.ts'
import { budgetOperations } from './analytics/budget.ts'
import { countOperations } from './analytics/counts.ts'
import { exclusionOperations } from './analytics/exclusions.ts'
import { previewOperations } from './analytics/previews.ts'
import { requestLogOperations } from './analytics/request-log.ts'
import { savedViewOperations } from './analytics/saved-views.ts'
import { situationOperations } from './analytics/situation.ts'
import { visitOperations } from './analytics/visits.ts'
import { coverageOperations } from './coverage/coverage.ts'
import { apiOperationOperations } from './definitions/api-operations.ts'
import { documentVersionOperations } from './definitions/document-versions.ts'
import { siteDocumentOperations } from './definitions/documents.ts'
import { evidenceOperations } from './evidence.ts'
import { hackerOperations } from './hackers.ts'
import { gatewayOperations } from './installation/gateways.ts'
import { deliveryOperations } from './notifications/deliveries.ts'
import { destinationOperations } from './notifications/destinations.ts'
import type { Operation } from './operation.ts'
import { organizationOperations } from './organization.ts'
import { originProofOperations } from './origin-proof.ts'
import { originalProjectOperations } from './original/project-calls.ts'
import { originalSiteOperations } from './original/site-calls.ts'
import { originalTrafficOperations } from './original/traffic-calls.ts'
import { checkOperations } from './projects/checks.ts'
import { projectOperations } from './projects.ts'
import { siteGroupOperations } from './site-groups.ts'
import { siteSettingsOperations } from './site-settings.ts'
import { siteOperations } from './sites.ts'

/** The operations by their ids, with their literal types. */
export const operations = {
  ...siteOperations,
  ...originalSiteOperations,
  ...siteSettingsOperations,
  ...siteDocumentOperations,
  ...apiOperationOperations,
  ...documentVersionOperations,
  ...siteGroupOperations,
  ...originProofOperations,
  ...hackerOperations,
  ...projectOperations,
  ...checkOperations,
  ...originalProjectOperations,
  ...organizationOperations,
  ...accessOperations,
  ...countOperations,
  ...budgetOperations,
  ...originalTrafficOperations,
  ...exclusionOperations,
  ...previewOperations,
  ...requestLogOperations,
  ...situationOperations,
  ...visitOperations,
  ...coverageOperations,
  ...savedViewOperations,
  ...evidenceOperations,
  ...gatewayOperations,
  ...destinationOperations,
  ...deliveryOperations,
}
export type Operations = typeof operations
export type OperationId = keyof Operations

export const OPERATIONS: readonly Operation[] = Object.values(operations)

export * from './access.ts'
export * from './analytics/attention.ts'
export type { HackerBudget } from './analytics/budget.ts'
export * from './analytics/counts.ts'
export * from './analytics/exclusions.ts'
export type { ResearcherName } from './analytics/included.ts'
export * from './analytics/previews.ts'
export { recordedRequest, requestFilters } from './analytics/recorded-request.ts'
export * from './analytics/request-log.ts'
export * from './analytics/saved-views.ts'
export * from './analytics/situation.ts'
export * from './analytics/visits.ts'
export * from './coverage/coverage.ts'
export * from './definitions/api-operations.ts'
export * from './definitions/document-versions.ts'
export {
  DOCUMENT_FORMATS,
  type DocumentFormat,
  MAIN_DOCUMENT,
  type SiteDocument,
  siteDocument,
} from './definitions/documents.ts'
export * from './evidence.ts'
export { EXAMPLE, exampleNameOf } from './examples.ts'
export * from './hackers.ts'
export * from './installation/gateways.ts'
export * from './notifications/deliveries.ts'
export * from './notifications/destinations.ts'
export * from './organization.ts'
export * from './origin-proof.ts'
export * from './original/project-calls.ts'
export * from './original/site-calls.ts'
export * from './original/traffic-calls.ts'
export * from './projects/checks.ts'
export * from './projects.ts'
export * from './site-groups.ts'
export * from './site-settings.ts'
export * from './sites.ts'
