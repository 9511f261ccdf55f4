import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNotices } from './notices.tsx'

/** A mutation that says why it failed, or that it is `done`, and then asks again for the queries under `queryKey`. */
export function useNotifiedMutation<Input = void, Result = unknown>(
  mutationFn: (input: Input) => Promise<Result>,
  { done, queryKey }: { readonly done?: string; readonly queryKey?: readonly unknown[] } = {},
) {
  const queryClient = useQueryClient()
  const notices = useNotices()
  return useMutation({
    mutationFn,
    onSuccess: () => {
      if (done) notices.done(done)
      return queryKey && queryClient.invalidateQueries({ queryKey })
    },
    onError: (error) => notices.failed(error),
  })
}
