import type { ProjectInput, ProjectItemInput } from '@sallyport/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useServices } from '../app/services.tsx'

const PAGE_ITEMS = 500

export function useProjects(search: string) {
  const { api } = useServices()
  return useQuery({
    queryKey: ['projects', { search }],
    queryFn: ({ signal }) =>
      api.call('projectsList', { query: { limit: PAGE_ITEMS, ...(search ? { search } : {}) } }, { signal }),
  })
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
  return useQuery({
    queryKey: ['projects', projectId, 'items'],
    queryFn: ({ signal }) =>
      api.call('projectsListItems', { params: { id: projectId }, query: { limit: PAGE_ITEMS } }, { signal }),
  })
}

/** Creates the project where it has no id, replaces it where it has one. */
export function useProjectSave() {
  const { api } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (project: ProjectInput) =>
      project.id
        ? api.call('projectsReplace', { params: { id: project.id }, body: project })
        : api.call('projectsCreate', { body: project }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['projects'] }),
  })
}

export function useItemSave() {
  const { api } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (item: ProjectItemInput) => api.call('projectsUpdateProjectItem', { body: item }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['projects'] }),
  })
}
