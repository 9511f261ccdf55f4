/**
 * How many exports and evidence packs are written at the same time. Each holds a page of the record in memory, or its traffic in a file, for
 * as long as its reader takes nothing.
 */
import { EXPORTS_MAX, ORGANIZATION_EXPORTS_MAX } from '@sallyport/contract'
import { ConcurrencyLimiter } from '@sallyport/toolbox'
import { tooManyRequests } from '../../errors.ts'

const RETRY_SECONDS = 30

/** Counts an export of the organization until `ends` is aborted. Throws a 429 where there are too many. */
export type AdmitExport = (orgId: string, ends: AbortSignal) => void

export function createExportAdmission(): AdmitExport {
  const limiter = new ConcurrencyLimiter({ ofOwner: ORGANIZATION_EXPORTS_MAX, ofAll: EXPORTS_MAX })
  return (orgId, ends) => {
    const release = limiter.acquire(orgId)
    if (!release)
      throw tooManyRequests(RETRY_SECONDS, {
        detail: 'Too many exports and evidence packs are written at the same time; try again later.',
      })
    ends.addEventListener('abort', release, { once: true })
  }
}
