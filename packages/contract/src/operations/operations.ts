/**
 * Every operation of the admin API. The server routes by this list, the client calls by it, the OpenAPI document and the
 * tests are made from it.
 */

import { accessOperations } from './access.ts'
import { analyticsOperations } from './analytics.ts'
import { evidenceOperations } from './evidence.ts'
import { hackerOperations } from './hackers.ts'
import type { Operation } from './operation.ts'
import { organizationOperations } from './organization.ts'
import { originProofOperations } from './origin-proof.ts'
import { projectOperations } from './projects.ts'
import { siteSettingsOperations } from './site-settings.ts'
import { siteOperations } from './sites.ts'

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

export * from './access.ts'
export * from './analytics.ts'
export * from './evidence.ts'
export { EXAMPLE, exampleNameOf } from './examples.ts'
export * from './hackers.ts'
export * from './organization.ts'
export * from './origin-proof.ts'
export * from './projects.ts'
export * from './site-settings.ts'
export * from './sites.ts'
