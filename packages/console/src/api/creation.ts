import { useQueryClient } from '@tanstack/react-query'
import type { Api, CallOptions } from './api.ts'
import { useIdempotentCall } from './idempotent-call.ts'
import { useServices } from './services.tsx'

/** Creates something, once also where the answer is lost, and then asks again for the queries under `queryKey`. */
export function useCreation<Wanted, Made>(
  queryKey: readonly string[],
  create: (api: Api, wanted: Wanted, options: CallOptions) => Promise<Made>,
): (wanted: Wanted) => Promise<Made> {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const call = useIdempotentCall((wanted: Wanted, options) => create(api, wanted, options))
  return async (wanted) => {
    const made = await call(wanted)
    await queryClient.invalidateQueries({ queryKey })
    return made
  }
}
