/**
 * Every operation of the admin API. The server routes by this list, the client calls by it, the OpenAPI document and the
 * tests are made from it.
 */
import type { Operation } from './operation.ts'
import { accessOperations } from './operations/access.ts'
import { analyticsOperations } from './operations/analytics.ts'
import { evidenceOperations } from './operations/evidence.ts'
import { hackerOperations } from './operations/hackers.ts'
import { organizationOperations } from './operations/organization.ts'
import { originProofOperations } from './operations/origin-proof.ts'
import { projectOperations } from './operations/projects.ts'
import { siteSettingsOperations } from './operations/site-settings.ts'
import { siteOperations } from './operations/sites.ts'

/** The operations by their ids, with their literal types. */
export const operations = {
  ...siteOperations,
  ...siteSettingsOperations,
  ...originProofOperations,
  ...hackerOperations,
  ...projectOperations,
  ...organizationOperations,
  ...accessOperations,
  ...analyticsOperations,
  ...evidenceOperations,
}
export type Operations = typeof operations
export type OperationId = keyof Operations

export const OPERATIONS: readonly Operation[] = Object.values(operations)

export * from './operations/access.ts'
export * from './operations/analytics.ts'
export * from './operations/evidence.ts'
export { EXAMPLE, exampleNameOf } from './operations/examples.ts'
export * from './operations/hackers.ts'
export * from './operations/organization.ts'
export * from './operations/origin-proof.ts'
export * from './operations/projects.ts'
export * from './operations/site-settings.ts'
export * from './operations/sites.ts'
