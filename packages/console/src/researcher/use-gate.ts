import { useCallback, useEffect, useState } from 'react'
import { type Answers, ask, GateRefusal } from './gate-api.ts'

export interface Asked<T> {
  readonly data: T | undefined
  readonly refusal: GateRefusal | undefined
}

/** Asks the gate, and again every `everyMs` where that is given. What was shown stays while it asks anew. */
export function useGate<Name extends keyof Answers>(
  name: Name,
  key: string,
  everyMs?: number,
): Asked<Answers[Name]> {
  const [asked, setAsked] = useState<Asked<Answers[Name]>>({ data: undefined, refusal: undefined })
  const run = useCallback(
    (signal: AbortSignal) =>
      ask(name, key, signal).then(
        (data) => setAsked({ data, refusal: undefined }),
        (error: unknown) => {
          if (signal.aborted) return
          const refusal =
            error instanceof GateRefusal ? error : new GateRefusal(0, 'The gate does not answer.')
          setAsked((before) => ({ data: refusal.status === 0 ? before.data : undefined, refusal }))
        },
      ),
    [name, key],
  )
  useEffect(() => {
    const stop = new AbortController()
    void run(stop.signal)
    const timer = everyMs ? setInterval(() => void run(stop.signal), everyMs) : undefined
    return () => {
      stop.abort()
      clearInterval(timer)
    }
  }, [run, everyMs])
  return asked
}
