import type { ProjectInput, ProjectItemInput } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useApiQuery } from '../api-query.ts'
import { readModifyWrite } from '../concurrent-edits.ts'
import { useCreation } from '../creation.ts'
import { usePagedList } from '../paged-list.ts'
import { useServices } from '../services.tsx'

export function useProjects(search: string) {
  const { api } = useServices()
  return usePagedList(['projects', { search }], (page, signal) =>
    api.call('projectsList', { query: { ...page, ...(search ? { search } : {}) } }, { signal }),
  )
}

export function useProject(projectId: string) {
  return useApiQuery(['projects', projectId], 'projectsGet', { params: { id: projectId } })
}

export function useProjectItems(projectId: string) {
  const { api } = useServices()
  return usePagedList(['projects', projectId, 'items'], (query, signal) =>
    api.call('projectsListItems', { params: { id: projectId }, query }, { signal }),
  )
}

export const useProjectCreation = () =>
  useMutation({
    mutationFn: useCreation(['projects'], (api, body: ProjectInput, options) =>
      api.call('projectsCreate', { body }, options),
    ),
  })

/** Changes fields of the project, which the API replaces as a whole; answers what the project was, for an undo. */
export function useProjectChange(projectId: string) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const params = { id: projectId }
  return useMutation({
    mutationFn: (changes: ProjectInput) =>
      readModifyWrite(
        () => api.callVersioned('projectsGet', { params }),
        async (before, options) => {
          await api.call('projectsReplace', { params, body: { ...before, ...changes } }, options)
          return before
        },
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['projects'] }),
  })
}

export const useItemSave = () =>
  useMutation({
    mutationFn: useCreation(['projects'], (api, body: ProjectItemInput, options) =>
      api.call('projectsUpdateProjectItem', { body }, options),
    ),
  })
