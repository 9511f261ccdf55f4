/** Who is signed in, what they may do, and the organization with its kill switch: one answer, which the frame of every page asks for. */
import {
  type CallerSession,
  type OrganizationDetails,
  type Permission,
  roleAllows,
} from '@sallyport/contract'
import { type QueryClient, useQuery } from '@tanstack/react-query'
import { type Api, useServices } from '../api.tsx'
import { apiQuery } from '../api-query.ts'

const POLL_MS = 5_000
const KEY = ['session']

const sessionQuery = (api: Api) => ({
  ...apiQuery(api, KEY, 'accountGetSession', {}),
  // Somebody else may use the switch, or change the role.
  refetchInterval: POLL_MS,
  // Much of every page asks for permissions: what is mounted between two polls asks nothing more.
  staleTime: 2 * POLL_MS,
})

const callerOf = ({ caller }: CallerSession) => caller
const organizationOf = ({ organization }: CallerSession) => organization

/** Who is signed in and what they may do. */
export function useProfile() {
  const { api } = useServices()
  return useQuery({ ...sessionQuery(api), select: callerOf })
}

/** The organization with its kill switch. */
export function useOrganization() {
  const { api } = useServices()
  return useQuery({ ...sessionQuery(api), select: organizationOf })
}

/** Stores the organization as a change answered it. What is asked meanwhile may be answered as of before, and is given up. */
export async function storeOrganization(
  queryClient: QueryClient,
  organization: OrganizationDetails,
): Promise<void> {
  await queryClient.cancelQueries({ queryKey: KEY })
  queryClient.setQueryData<CallerSession>(KEY, (known) => known && { ...known, organization })
}

/** Whether the viewer's role includes a permission; false until it is known. */
export function usePermission(permission: Permission): boolean {
  const profile = useProfile()
  return profile.data ? roleAllows(profile.data.role, permission) : false
}
