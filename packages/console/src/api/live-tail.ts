/**
 * The live tail: server-sent events read through fetch, because EventSource cannot carry the bearer token. Reconnects
 * by itself with a growing pause; keeps the newest requests only.
 */

import { useEffect, useRef, useState } from 'react'
import { useServices } from '../app/services.tsx'
import { apiFilters, type Filters } from './analytics-queries.ts'
import type { Api } from './api.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { readServerSentEvents } from './server-sent-events.ts'

const RETRY_MS_MIN = 500
const RETRY_MS_MAX = 10_000
/** Arrivals are put on screen together, so that a flood costs one render a tick. */
const FLUSH_MS = 150

export interface LiveTail {
  /** Newest first. */
  readonly requests: readonly RecordedRequest[]
  readonly state: 'connecting' | 'live' | 'paused' | 'failed'
  /** How many the server left out because this reader was too slow. */
  readonly missed: number
}

/** Follows the log while `on`; what was shown stays on screen in a pause. */
export function useLiveTail(filters: Filters, on: boolean, keep: number): LiveTail {
  const { api } = useServices()
  const [tail, setTail] = useState<LiveTail>({ requests: [], state: 'connecting', missed: 0 })
  const key = JSON.stringify(filters)
  const lastKey = useRef(key)
  useEffect(() => {
    if (lastKey.current !== key) setTail({ requests: [], state: 'connecting', missed: 0 })
    lastKey.current = key
    if (!on) {
      setTail((now) => ({ ...now, state: 'paused' }))
      return
    }
    const stop = new AbortController()
    const waiting: RecordedRequest[] = []
    const timer = setInterval(() => {
      const arrived = waiting.splice(0).reverse()
      if (arrived.length > 0)
        setTail((now) => ({ ...now, requests: [...arrived, ...now.requests].slice(0, keep) }))
    }, FLUSH_MS)
    void follow(api, JSON.parse(key) as Filters, stop.signal, {
      onState: (state) => setTail((now) => ({ ...now, state })),
      onMissed: (count) => setTail((now) => ({ ...now, missed: now.missed + count })),
      onRequest: (request) => waiting.push(request),
    })
    return () => {
      stop.abort()
      clearInterval(timer)
    }
  }, [api, key, on, keep])
  return tail
}

interface TailHandlers {
  onState(state: LiveTail['state']): void
  onMissed(count: number): void
  onRequest(request: RecordedRequest): void
}

async function follow(
  api: Api,
  filters: Filters,
  signal: AbortSignal,
  handlers: TailHandlers,
): Promise<void> {
  let pauseMs = RETRY_MS_MIN
  const { gte: _gte, lte: _lte, ...rest } = apiFilters(filters)
  while (!signal.aborted) {
    handlers.onState('connecting')
    try {
      const response = await api.stream('analyticsTail', { query: rest }, { signal })
      handlers.onState('live')
      pauseMs = RETRY_MS_MIN
      for await (const event of readServerSentEvents(response)) {
        if (event.name === 'request') handlers.onRequest(JSON.parse(event.data) as RecordedRequest)
        if (event.name === 'missed') handlers.onMissed(Number(event.data) || 0)
      }
    } catch {
      if (signal.aborted) return
      handlers.onState('failed')
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    pauseMs = Math.min(pauseMs * 2, RETRY_MS_MAX)
  }
}
