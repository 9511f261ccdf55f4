import type { Check, ProjectInput } from '@sallyport/contract'
import { useMutation } from '@tanstack/react-query'
import { useApiChange, useApiPages, useApiQuery, useCreation } from '../api-query.ts'
import { readModifyWrite } from '../concurrent-edits.ts'

export const useProjects = (search: string) =>
  useApiPages(['projects', { search }], 'projectsList', { query: search ? { search } : {} })

export const useProject = (id: string) => useApiQuery(['projects', id], 'projectsGet', { params: { id } })

export const useProjectCreation = () =>
  useMutation({ mutationFn: useCreation(['projects'], 'projectsCreate') })

/** Changes fields of the project, which the API replaces as a whole; answers what the project was, for an undo. */
export const useProjectChange = (id: string) =>
  useApiChange(
    (api, changes: ProjectInput) =>
      readModifyWrite(
        () => api.callVersioned('projectsGet', { params: { id } }),
        async (before, options) => {
          await api.call('projectsReplace', { params: { id }, body: { ...before, ...changes } }, options)
          return before
        },
      ),
    (queryClient) => queryClient.invalidateQueries({ queryKey: ['projects'] }),
  )

export const useItemSave = () =>
  useMutation({ mutationFn: useCreation(['projects'], 'projectsUpdateProjectItem') })

const checksKey = (projectId: string) => ['projects', projectId, 'checks']

/** Items with what the record says of each; a page is a map for each site of its items. */
export const useProjectChecks = (id: string, timeZone: string) =>
  useApiPages(
    [...checksKey(id), timeZone],
    'projectsListChecks',
    { params: { id }, query: { timeZone } },
    { pageItems: 200, staleTime: 10_000 },
  )

/** The first page of them, with the window that they are about. */
export const useProjectWindow = (id: string) =>
  useApiQuery([...checksKey(id), 'window'], 'projectsListChecks', { params: { id } }, { staleTime: 60_000 })

/** Changes fields of a check, which the API replaces as a whole; answers what it was, for an undo. */
export const useCheckChange = (itemId: string) =>
  useApiChange(
    (api, changes: Partial<Check>) =>
      readModifyWrite(
        () => api.callVersioned('projectsGetCheck', { params: { id: itemId } }),
        async (before, options) => {
          const body = { ...before, ...changes }
          await api.call('projectsSetCheck', { params: { id: itemId }, body }, options)
          return before
        },
      ),
    (queryClient) => queryClient.invalidateQueries({ queryKey: ['projects'] }),
  )

/** Removes an item; answers the act that brings it back with its check, as another item. */
export const useItemRemoval = () =>
  useApiChange(
    async (api, id: string) => {
      const [item, check] = await Promise.all([
        api.call('projectsGetItem', { params: { id } }),
        api.call('projectsGetCheck', { params: { id } }),
      ])
      await api.call('projectsDeleteItem', { params: { id } })
      const { id: _id, project: _project, ...again } = item
      return async () => {
        const made = await api.call('projectsUpdateProjectItem', { body: again })
        await api.call('projectsSetCheck', { params: { id: made.id ?? '' }, body: check })
      }
    },
    (queryClient) => queryClient.invalidateQueries({ queryKey: ['projects'] }),
  )
