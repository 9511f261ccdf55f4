/** The coverage of a site with parameters and crossings in one document, as evidence holds it. */
import { describeWindow } from '../../http/request/window.ts'
import type { CoverageRecord } from '../../traffic-store/rows/recorded-coverage.ts'
import { coverageMap } from './coverage-map.ts'
import { crossingsOf } from './crossings.ts'
import type { DefinedOperation } from './defined-operation.ts'
import { beginningsOf } from './template-beginnings.ts'

export async function coverageDocument(
  operations: readonly DefinedOperation[],
  traffic: CoverageRecord,
  window: { readonly from: number; readonly to: number },
) {
  const options = { known: beginningsOf(operations), withResearchers: true }
  const [recorded, attempts, crossed] = await Promise.all([
    traffic.coverage(options),
    traffic.attempts(options),
    traffic.crossings(),
  ])
  return {
    ...describeWindow(window),
    ...coverageMap(operations, recorded, attempts),
    crossings: crossingsOf(operations, crossed),
  }
}
