import { useQuery } from '@tanstack/react-query'
import { useServices } from '../app/services.tsx'

const PAGE_ITEMS = 500

export function useMembers() {
  const { api } = useServices()
  return useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => api.call('membersList', { query: { limit: PAGE_ITEMS } }, { signal }),
  })
}

export function useApiKeys() {
  const { api } = useServices()
  return useQuery({
    queryKey: ['api-keys'],
    queryFn: ({ signal }) => api.call('apiKeysList', { query: { limit: PAGE_ITEMS } }, { signal }),
  })
}
