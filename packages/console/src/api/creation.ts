import type { OperationId } from '@sallyport/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Input, Output } from './api.ts'
import { useServices } from './services.tsx'

/**
 * Creates something by an operation, and then asks again for the queries under `queryKey`. The idempotency key stays the same
 * until the call succeeds or its input changes: where an answer is lost, the API answers the repetition as it did the first
 * time, secrets that are shown once included.
 */
export function useCreation<Id extends OperationId>(
  queryKey: readonly string[],
  id: Id,
): (input: Input<Id>) => Promise<Output<Id>> {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const pending = useRef<{ readonly text: string; readonly idempotencyKey: string } | null>(null)
  return async (input) => {
    const text = JSON.stringify(input)
    if (pending.current?.text !== text) pending.current = { text, idempotencyKey: crypto.randomUUID() }
    const { idempotencyKey } = pending.current
    const made = await api.call(id, input, { idempotencyKey })
    pending.current = null
    await queryClient.invalidateQueries({ queryKey })
    return made
  }
}
