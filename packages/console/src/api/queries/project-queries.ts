import type { ProjectInput } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useApiPages, useApiQuery } from '../api-query.ts'
import { readModifyWrite } from '../concurrent-edits.ts'
import { useCreation } from '../creation.ts'
import { useServices } from '../services.tsx'

export const useProjects = (search: string) =>
  useApiPages(['projects', { search }], 'projectsList', { query: search ? { search } : {} })

export const useProject = (id: string) => useApiQuery(['projects', id], 'projectsGet', { params: { id } })

export const useProjectItems = (id: string) =>
  useApiPages(['projects', id, 'items'], 'projectsListItems', { params: { id } })

export const useProjectCreation = () =>
  useMutation({ mutationFn: useCreation(['projects'], 'projectsCreate') })

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
  useMutation({ mutationFn: useCreation(['projects'], 'projectsUpdateProjectItem') })
