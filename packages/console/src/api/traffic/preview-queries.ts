import type { PreviewedChange } from '@sallyport/contract'
import { useApiQuery } from '../api-query.ts'

/** What a change would have refused of the last seven days; not asked where there is none to preview. */
export const useChangePreview = (change: PreviewedChange | null) =>
  useApiQuery(
    ['change-preview', change],
    'analyticsPreviewChange',
    { body: { change: change as PreviewedChange } },
    { enabled: change !== null, staleTime: 60_000 },
  )
