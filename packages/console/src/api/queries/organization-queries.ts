import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Input } from '../api.ts'
import { useApiQuery } from '../api-query.ts'
import { useCreation } from '../creation.ts'
import { usePagedList } from '../paged-list.ts'
import { useServices } from '../services.tsx'

const POLL_MS = 5_000
const AUDIT_PAGE_ITEMS = 100

/** The organization with its kill switch, polled: somebody else may use the switch. */
export function useOrganization() {
  return useApiQuery(['organization'], 'organizationGetDetails', {}, { refetchInterval: POLL_MS })
}

/** Stops or resumes everything. Never optimistic: the screen says "stopped" when it is. */
export function useKillSwitch() {
  const { api } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (stop: boolean) => api.call(stop ? 'organizationStop' : 'organizationResume', {}),
    onSuccess: (organization) => {
      queryClient.setQueryData(['organization'], organization)
      return queryClient.invalidateQueries({ queryKey: ['sites'] })
    },
  })
}

/** The append-only ledger behind the balance of credits. */
export function useCreditLedger() {
  const { api } = useServices()
  return usePagedList(['credits'], (query, signal) =>
    api.call('organizationListCredits', { query }, { signal }),
  )
}

/** The audit log, newest first, of one action or of all. */
export function useAuditLog(action: string) {
  const { api } = useServices()
  return usePagedList(
    ['audit', action],
    (page, signal) =>
      api.call('auditLogList', { query: { ...page, ...(action ? { action } : {}) } }, { signal }),
    { pageItems: AUDIT_PAGE_ITEMS, keepsPrevious: true },
  )
}

export function useMembers() {
  const { api } = useServices()
  return usePagedList(['members'], (query, signal) => api.call('membersList', { query }, { signal }))
}

export const useMemberInvitation = () =>
  useCreation(['members'], (api, body: Input<'membersInvite'>['body'], options) =>
    api.call('membersInvite', { body }, options),
  )

export function useApiKeys() {
  const { api } = useServices()
  return usePagedList(['api-keys'], (query, signal) => api.call('apiKeysList', { query }, { signal }))
}

export const useApiKeyCreation = () =>
  useCreation(['api-keys'], (api, body: Input<'apiKeysCreate'>['body'], options) =>
    api.call('apiKeysCreate', { body }, options),
  )

export const useApiKeyRotation = () =>
  useCreation(['api-keys'], (api, id: string, options) =>
    api.call('apiKeysRotate', { params: { id }, body: {} }, options),
  )
