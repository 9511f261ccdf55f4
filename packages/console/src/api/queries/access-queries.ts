import type { Input } from '../api.ts'
import { useCreation } from '../creation.ts'
import { usePagedList } from '../paged-list.ts'
import { useServices } from '../services.tsx'

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
