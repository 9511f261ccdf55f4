import { type Permission, roleAllows } from '@sallyport/contract'
import { useQuery } from '@tanstack/react-query'
import { useServices } from '../services.tsx'

const SLOW_MS = 60_000

/** Who is signed in and what they may do. */
export function useProfile() {
  const { api } = useServices()
  return useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => api.call('accountGetRole', {}, { signal }),
    staleTime: SLOW_MS,
  })
}

/** Whether the viewer's role includes a permission; false until it is known. */
export function usePermission(permission: Permission): boolean {
  const profile = useProfile()
  return profile.data ? roleAllows(profile.data.role, permission) : false
}
