import type { SiteGroup } from '@sallyport/contract'
import { useApiChange, useApiPages, useCreation } from '../api-query.ts'
import { readModifyWrite } from '../concurrent-edits.ts'

const GROUPS = ['siteGroups']

export const useGroups = () => useApiPages(GROUPS, 'siteGroupsList', {})

export const useGroupCreation = () => useCreation(GROUPS, 'siteGroupsCreate')

/** Which sites are in a group, and under which labels. */
export type GroupSites = readonly { readonly id: string; readonly label: string }[]

/** The changes of a group. Names of sites change with it. */
export function useGroupChanges(id: string) {
  const params = { id }
  const rename = useApiChange(
    (api, gatedName: string) => api.call('siteGroupsUpdate', { params, body: { gatedName } }),
    refresh,
  )
  /** Changes the sites as they are now: somebody else may have changed them since they were shown. */
  const setSites = useApiChange(
    (api, change: (now: GroupSites) => GroupSites) =>
      readModifyWrite(
        () => api.callVersioned('siteGroupsGet', { params }),
        (now, options) =>
          api.call('siteGroupsSetSites', { params, body: { sites: [...change(sitesOf(now))] } }, options),
      ),
    refresh,
  )
  const remove = useApiChange((api, _: null) => api.call('siteGroupsDelete', { params }), refresh)
  return { rename, setSites, remove }
}

const refresh: Parameters<typeof useApiChange<never, unknown>>[1] = async (queryClient) => {
  await queryClient.invalidateQueries({ queryKey: GROUPS })
  await queryClient.invalidateQueries({ queryKey: ['sites'] })
}

const sitesOf = ({ sites }: SiteGroup): GroupSites =>
  sites.map(({ id, gatedName }) => ({ id, label: gatedName.split('.', 1)[0] ?? '' }))
