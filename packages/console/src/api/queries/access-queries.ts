import { usePages } from '../pages.ts'
import { useServices } from '../services.tsx'

export function useMembers() {
  const { api } = useServices()
  return usePages(['members'], (query, signal) => api.call('membersList', { query }, { signal }))
}

export function useApiKeys() {
  const { api } = useServices()
  return usePages(['api-keys'], (query, signal) => api.call('apiKeysList', { query }, { signal }))
}
