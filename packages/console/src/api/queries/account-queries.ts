import { type Permission, roleAllows } from '@sallyport/contract'
import { useApiQuery } from '../api-query.ts'

const SLOW_MS = 60_000

/** Who is signed in and what they may do. */
export const useProfile = () => useApiQuery(['account'], 'accountGetRole', {}, { staleTime: SLOW_MS })

/** Whether the viewer's role includes a permission; false until it is known. */
export function usePermission(permission: Permission): boolean {
  const profile = useProfile()
  return profile.data ? roleAllows(profile.data.role, permission) : false
}
