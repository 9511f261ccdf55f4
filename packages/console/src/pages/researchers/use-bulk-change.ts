import type { BULK_ACTIONS } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useServices } from '../../api/services.tsx'

type BulkAction = (typeof BULK_ACTIONS)[number]
interface BulkInput {
  readonly action: BulkAction
  /** Null for everyone. */
  readonly ids: readonly string[] | null
}

/** `POST /api/Hackers/bulk`: in force at the gate within a second. */
export function useBulkChange() {
  const { api } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ action, ids }: BulkInput) =>
      api.call('hackersBulk', { body: ids ? { action, ids: [...ids] } : { action, all: true } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['researchers'] }),
  })
}
