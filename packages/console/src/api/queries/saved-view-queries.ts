import type { SavedView } from '@sallyport/contract'
import { useApiChange, useApiPages, useCreation } from '../api-query.ts'

const KEY = ['saved-views']

/** The views that are shared, and the viewer's own: no more than fit one page. */
export const useSavedViews = () => useApiPages(KEY, 'savedViewsList', {}, { staleTime: 10_000 })

export const useSavedViewCreation = () => useCreation(KEY, 'savedViewsCreate')

/** Shares a view, or keeps it to oneself. */
export const useSavedViewSharing = () =>
  useApiChange(
    (api, { id, isShared }: Pick<SavedView, 'id' | 'isShared'>) =>
      api.call('savedViewsUpdate', { params: { id }, body: { isShared } }),
    (queryClient) => queryClient.invalidateQueries({ queryKey: KEY }),
  )

export const useSavedViewRemoval = () =>
  useApiChange(
    (api, id: string) => api.call('savedViewsRemove', { params: { id } }),
    (queryClient) => queryClient.invalidateQueries({ queryKey: KEY }),
  )
