import { createContext, useCallback, useContext, useEffect, useState } from 'react'
import { callGate, type GateRefusal, refusalOf } from './gate-api.ts'

export interface GateQuery<T> {
  readonly data: T | undefined
  readonly refusal: GateRefusal | undefined
  readonly refetch: () => void
}

/** Called where the gate no longer knows the session, so that the app asks who is signed in. */
export const SessionEnded = createContext<() => void>(() => {})

/** Of what there is no more. */
const OVER: ReadonlySet<number> = new Set([401, 403, 404])

/**
 * Asks the gate, and again every `everyMs` where that is given. What was shown stays while it asks again. A refusal takes it away, unless
 * it `staysWhileRefused`: a page has what was typed on it, and goes only when the gate says that there is nothing of it any more.
 */
export function useGateQuery<T>(path: string, everyMs?: number, staysWhileRefused = false): GateQuery<T> {
  const [answer, setAnswer] = useState<Omit<GateQuery<T>, 'refetch'>>({
    data: undefined,
    refusal: undefined,
  })
  const [round, setRound] = useState(0)
  const sessionEnded = useContext(SessionEnded)
  const refetch = useCallback(() => setRound((before) => before + 1), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks the same question again
  useEffect(() => {
    const stop = new AbortController()
    const run = () =>
      callGate<T>(path, { signal: stop.signal }).then(
        (data) => {
          if (!stop.signal.aborted) setAnswer({ data, refusal: undefined })
        },
        (error: unknown) => {
          if (stop.signal.aborted) return
          const refusal = refusalOf(error)
          if (refusal.status === 401) sessionEnded()
          const stays = refusal.status === 0 || (staysWhileRefused && !OVER.has(refusal.status))
          setAnswer((before) => ({ data: stays ? before.data : undefined, refusal }))
        },
      )
    void run()
    const timer = everyMs ? setInterval(() => void run(), everyMs) : undefined
    return () => {
      stop.abort()
      clearInterval(timer)
    }
  }, [path, everyMs, staysWhileRefused, round, sessionEnded])
  return { ...answer, refetch }
}
