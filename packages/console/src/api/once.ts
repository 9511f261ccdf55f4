import { useRef } from 'react'
import type { CallOptions } from './api.ts'

/**
 * Makes something once, also where its answer is lost and the same is asked for again: the API answers the repetition
 * as it did the first time, secrets that are shown once included. What was made is forgotten: the next one is another.
 */
export function useOnce<Wanted, Made>(
  make: (wanted: Wanted, options: CallOptions) => Promise<Made>,
): (wanted: Wanted) => Promise<Made> {
  const asked = useRef<{ readonly text: string; readonly idempotencyKey: string } | null>(null)
  return async (wanted) => {
    const text = JSON.stringify(wanted)
    if (asked.current?.text !== text) asked.current = { text, idempotencyKey: crypto.randomUUID() }
    const { idempotencyKey } = asked.current
    const made = await make(wanted, { idempotencyKey })
    asked.current = null
    return made
  }
}
