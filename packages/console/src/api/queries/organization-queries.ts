import { useApiChange, useApiPages, useApiQuery, useCreation } from '../api-query.ts'
import { serverNow } from '../server-clock.ts'
import { storeOrganization, useOrganization } from './account-queries.ts'

const AUDIT_PAGE_ITEMS = 100

/** Whether no site admits anybody, whatever its own settings say. */
export function useIsStopped(): boolean {
  const { data } = useOrganization()
  return data !== undefined && (data.isStopped || data.isSuspended)
}

/** Stops or resumes everything. Never optimistic: the screen says "stopped" when it is. */
export const useKillSwitch = () =>
  useApiChange(
    (api, stop: boolean) => api.call(stop ? 'organizationStop' : 'organizationResume', {}),
    async (queryClient, organization) => {
      await storeOrganization(queryClient, organization)
      return queryClient.invalidateQueries({ queryKey: ['sites'] })
    },
  )

/** The append-only ledger behind the balance of credits. */
export const useCreditLedger = () => useApiPages(['credits'], 'organizationListCredits', {})

/** The audit log, newest first, of one action or of all. */
export const useAuditLog = (action: string) =>
  useApiPages(
    ['audit', action],
    'auditLogList',
    { query: action ? { action } : {} },
    { pageItems: AUDIT_PAGE_ITEMS, keepsPrevious: true },
  )

const DAY_MS = 86_400_000
const RECENT_MAX = 50

/** What a member changed in the last 24 hours, newest first; asked anew whenever it is opened. */
export const useRecentChanges = (email: string) =>
  useApiQuery(
    ['audit', 'recent', email],
    'auditLogList',
    {
      query: { actor: email, gte: new Date(serverNow() - DAY_MS).toISOString(), limit: RECENT_MAX },
    },
    { enabled: email !== '', staleTime: 0 },
  )

export const useMembers = () => useApiPages(['members'], 'membersList', {})
export const useMemberInvitation = () => useCreation(['members'], 'membersInvite')

export const useApiKeys = () => useApiPages(['api-keys'], 'apiKeysList', {})
export const useApiKeyCreation = () => useCreation(['api-keys'], 'apiKeysCreate')
export const useApiKeyRotation = () => useCreation(['api-keys'], 'apiKeysRotate')
