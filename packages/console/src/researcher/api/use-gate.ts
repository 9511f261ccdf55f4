import { createContext, useCallback, useContext, useEffect, useState } from 'react'
import { call, type GateRefusal, refusalOf } from './gate-api.ts'

export interface Asked<T> {
  readonly data: T | undefined
  readonly refusal: GateRefusal | undefined
  readonly again: () => void
}

/** Called where the gate no longer knows the session: the page around asks who is there. */
export const SessionEnded = createContext<() => void>(() => {})

/** Asks the gate, and again every `everyMs` where that is given. What was shown stays while it asks anew. */
export function useGate<T>(path: string, everyMs?: number): Asked<T> {
  const [asked, setAsked] = useState<Omit<Asked<T>, 'again'>>({ data: undefined, refusal: undefined })
  const [round, setRound] = useState(0)
  const sessionEnded = useContext(SessionEnded)
  const again = useCallback(() => setRound((before) => before + 1), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks the same anew
  useEffect(() => {
    const stop = new AbortController()
    const run = () =>
      call<T>(path, { signal: stop.signal }).then(
        (data) => {
          if (!stop.signal.aborted) setAsked({ data, refusal: undefined })
        },
        (error: unknown) => {
          if (stop.signal.aborted) return
          const refusal = refusalOf(error)
          if (refusal.status === 401) sessionEnded()
          setAsked((before) => ({ data: refusal.status === 0 ? before.data : undefined, refusal }))
        },
      )
    void run()
    const timer = everyMs ? setInterval(() => void run(), everyMs) : undefined
    return () => {
      stop.abort()
      clearInterval(timer)
    }
  }, [path, everyMs, round, sessionEnded])
  return { ...asked, again }
}
