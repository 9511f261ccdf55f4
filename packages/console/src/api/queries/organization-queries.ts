import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useServices } from '../services.tsx'

const POLL_MS = 5_000

/** The organization with its kill switch, kept fresh: someone else may have pulled it. */
export function useOrganization() {
  const { api } = useServices()
  return useQuery({
    queryKey: ['organization'],
    queryFn: ({ signal }) => api.call('organizationGetDetails', {}, { signal }),
    refetchInterval: POLL_MS,
  })
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
