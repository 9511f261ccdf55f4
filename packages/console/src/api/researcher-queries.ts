import { useQuery } from '@tanstack/react-query'
import { useServices } from '../app/services.tsx'

const PAGE_ITEMS = 500

/** The roster, newest first: up to 500 that match. */
export function useResearchers(search?: string) {
  const { api } = useServices()
  return useQuery({
    queryKey: ['researchers', { search: search ?? '' }],
    queryFn: ({ signal }) =>
      api.call('hackersList', { query: { limit: PAGE_ITEMS, ...(search ? { search } : {}) } }, { signal }),
    staleTime: 10_000,
  })
}

export function useResearcher(researcherId: string) {
  const { api } = useServices()
  return useQuery({
    queryKey: ['researchers', researcherId],
    queryFn: ({ signal }) => api.call('hackersGet', { params: { id: researcherId } }, { signal }),
  })
}

export function useResearcherKeys(researcherId: string) {
  const { api } = useServices()
  return useQuery({
    queryKey: ['researchers', researcherId, 'keys'],
    queryFn: ({ signal }) => api.call('hackersListKeys', { params: { id: researcherId } }, { signal }),
  })
}

/** Names of researchers by id, for tables of requests. */
export function useResearcherNames(): (researcherId: string) => string {
  const researchers = useResearchers()
  return (researcherId) => {
    if (!researcherId) return 'Stranger'
    const found = researchers.data?.items.find((one) => one.id === researcherId)
    return found ? found.name || found.email : researcherId
  }
}
