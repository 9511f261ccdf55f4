import type { ProjectInput } from '@sallyport/contract'
import { useMutation } from '@tanstack/react-query'
import { useApiChange, useApiPages, useApiQuery, useCreation } from '../api-query.ts'
import { readModifyWrite } from '../concurrent-edits.ts'

export const useProjects = (search: string) =>
  useApiPages(['projects', { search }], 'projectsList', { query: search ? { search } : {} })

export const useProject = (id: string) => useApiQuery(['projects', id], 'projectsGet', { params: { id } })

export const useProjectItems = (id: string) =>
  useApiPages(['projects', id, 'items'], 'projectsListItems', { params: { id } })

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
