import { useRef } from 'react'
import type { CallOptions } from './api.ts'

/**
 * Sends a call with an idempotency key that stays the same until the call succeeds or its input changes. Where an answer
 * is lost, the API answers the repetition as it did the first time, secrets that are shown once included.
 */
export function useIdempotentCall<Wanted, Made>(
  make: (wanted: Wanted, options: CallOptions) => Promise<Made>,
): (wanted: Wanted) => Promise<Made> {
  const pending = useRef<{ readonly text: string; readonly idempotencyKey: string } | null>(null)
  return async (wanted) => {
    const text = JSON.stringify(wanted)
    if (pending.current?.text !== text) pending.current = { text, idempotencyKey: crypto.randomUUID() }
    const { idempotencyKey } = pending.current
    const made = await make(wanted, { idempotencyKey })
    pending.current = null
    return made
  }
}
