import type { ProjectInput, ProjectItemInput } from '@sallyport/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { changeAsItIs } from '../changes.ts'
import { useOnce } from '../once.ts'
import { usePages } from '../pages.ts'
import { useServices } from '../services.tsx'

export function useProjects(search: string) {
  const { api } = useServices()
  return usePages(['projects', { search }], (page, signal) =>
    api.call('projectsList', { query: { ...page, ...(search ? { search } : {}) } }, { signal }),
  )
}

export function useProject(projectId: string) {
  const { api } = useServices()
  return useQuery({
    queryKey: ['projects', projectId],
    queryFn: ({ signal }) => api.call('projectsGet', { params: { id: projectId } }, { signal }),
  })
}

export function useProjectItems(projectId: string) {
  const { api } = useServices()
  return usePages(['projects', projectId, 'items'], (query, signal) =>
    api.call('projectsListItems', { params: { id: projectId }, query }, { signal }),
  )
}

export function useProjectCreation() {
  const { api } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: useOnce((body: ProjectInput, options) => api.call('projectsCreate', { body }, options)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['projects'] }),
  })
}

/** Changes fields of the project as it is now, which the API replaces as a whole; answers what it was, for an undo. */
export function useProjectChange(projectId: string) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const params = { id: projectId }
  return useMutation({
    mutationFn: (changes: ProjectInput) =>
      changeAsItIs(
        () => api.callVersioned('projectsGet', { params }),
        async (before, options) => {
          await api.call('projectsReplace', { params, body: { ...before, ...changes } }, options)
          return before
        },
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['projects'] }),
  })
}

export function useItemSave() {
  const { api } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: useOnce((body: ProjectItemInput, options) =>
      api.call('projectsUpdateProjectItem', { body }, options),
    ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['projects'] }),
  })
}
