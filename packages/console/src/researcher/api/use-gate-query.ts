import { createContext, useCallback, useContext, useEffect, useState } from 'react'
import { callGate, type GateRefusal, refusalOf } from './gate-api.ts'

export interface GateQuery<T> {
  readonly data: T | undefined
  readonly refusal: GateRefusal | undefined
  readonly refetch: () => void
}

/** Called where the gate no longer knows the session, so that the app asks who is signed in. */
export const SessionEnded = createContext<() => void>(() => {})

/** Asks the gate, and again every `everyMs` where that is given. What was shown stays while it asks again. */
export function useGateQuery<T>(path: string, everyMs?: number): GateQuery<T> {
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
          setAnswer((before) => ({ data: refusal.status === 0 ? before.data : undefined, refusal }))
        },
      )
    void run()
    const timer = everyMs ? setInterval(() => void run(), everyMs) : undefined
    return () => {
      stop.abort()
      clearInterval(timer)
    }
  }, [path, everyMs, round, sessionEnded])
  return { ...answer, refetch }
}
