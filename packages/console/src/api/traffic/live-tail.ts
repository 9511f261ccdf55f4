/**
 * The live tail: server-sent events read through fetch, because EventSource cannot carry the bearer token. Reconnects with
 * exponential back-off, also after an idle timeout; what was stored meanwhile, or while the viewer paused, is read from the
 * log, so that no request is silently missing. Keeps the newest requests only.
 */
import { useEffect, useRef, useState } from 'react'
import { type Api, type Output, useServices } from '../api.tsx'
import { apiFilters, type LoggedRequest, loggedRequests, type RequestFilters } from './request-filters.ts'
import { readServerSentEvents } from './server-sent-events.ts'

const RETRY_MS_MIN = 500
const RETRY_MS_MAX = 10_000
/** Arrivals are shown in batches, so that a flood costs one render an interval. */
const FLUSH_MS = 150
/** The server sends a heartbeat every ten seconds. */
const IDLE_MS_MAX = 30_000
/** How long after it happened a request may be stored while all gateways work. */
const STORING_DELAY_MS = 60_000
const PAGE_ITEMS = 500

export interface TailView {
  /** Newest first. */
  readonly requests: readonly LoggedRequest[]
  readonly state: 'connecting' | 'live' | 'paused' | 'failed'
  /** How many the server left out because this reader was too slow. */
  readonly missed: number
}

/** Follows the log while `on`; what was shown stays on screen in a pause. */
export function useLiveTail(filters: RequestFilters, on: boolean, keep: number): TailView {
  const { api } = useServices()
  const [tail, setTail] = useState<TailView>({ requests: [], state: 'connecting', missed: 0 })
  const key = JSON.stringify(filters)
  const lastKey = useRef(key)
  const coverage = useRef<Coverage | null>(null)
  useEffect(() => {
    if (lastKey.current !== key) {
      coverage.current = null
      setTail({ requests: [], state: 'connecting', missed: 0 })
    }
    lastKey.current = key
    if (!on) {
      setTail((now) => ({ ...now, state: 'paused' }))
      return
    }
    const stop = new AbortController()
    const waiting: LoggedRequest[] = []
    const timer = setInterval(() => {
      const arrived = waiting.splice(0).reverse()
      if (arrived.length > 0)
        setTail((now) => ({ ...now, requests: newestOf([...arrived, ...now.requests], keep) }))
    }, FLUSH_MS)
    void follow(api, { filters: JSON.parse(key) as RequestFilters, keep, coverage }, stop.signal, {
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

/** The first `keep`, each once: the log and the stream may have brought the same request. */
function newestOf(requests: readonly LoggedRequest[], keep: number): readonly LoggedRequest[] {
  const known = new Set<string>()
  const isNew = ({ id, kind }: LoggedRequest) => known.size < known.add(`${id} ${kind}`).size
  return requests.filter(isNew).slice(0, keep)
}

/** When the tail began, and until when it is known to be complete; milliseconds since the epoch. */
interface Coverage {
  readonly since: number
  until: number
}

interface Following {
  readonly filters: RequestFilters
  readonly keep: number
  /** Null until the tail is open for the first time. */
  readonly coverage: { current: Coverage | null }
}

interface TailHandlers {
  onState(state: TailView['state']): void
  onMissed(count: number): void
  onRequest(request: LoggedRequest): void
}

async function follow(
  api: Api,
  following: Following,
  signal: AbortSignal,
  handlers: TailHandlers,
): Promise<void> {
  let pauseMs = RETRY_MS_MIN
  while (!signal.aborted) {
    handlers.onState('connecting')
    try {
      await followOnce(api, following, signal, handlers, () => {
        pauseMs = RETRY_MS_MIN
      })
    } catch {
      if (signal.aborted) return
      handlers.onState('failed')
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    pauseMs = Math.min(pauseMs * 2, RETRY_MS_MAX)
  }
}

/** One connection, until it ends. Once it is open, what the connections before it missed is read from the log. */
async function followOnce(
  api: Api,
  following: Following,
  signal: AbortSignal,
  handlers: TailHandlers,
  onLive: () => void,
): Promise<void> {
  const idle = startIdleTimeout()
  const { coverage } = following
  try {
    const { gte: _gte, lte: _lte, ...query } = apiFilters(following.filters)
    const either = AbortSignal.any([signal, idle.signal])
    const response = await api.stream('analyticsTail', { query }, { signal: either })
    const openedAt = Date.now()
    if (coverage.current)
      for (const request of await readMissed(api, following, coverage.current, signal))
        handlers.onRequest(request)
    coverage.current = { since: coverage.current?.since ?? openedAt, until: openedAt }
    handlers.onState('live')
    onLive()
    const { current } = coverage
    const onBytes = () => {
      idle.reset()
      current.until = Date.now()
    }
    for await (const event of readServerSentEvents(response, onBytes)) {
      if (event.event === 'request') handlers.onRequest(JSON.parse(event.data) as LoggedRequest)
      if (event.event === 'missed') handlers.onMissed((JSON.parse(event.data) as { missed: number }).missed)
    }
  } finally {
    idle.stop()
  }
}

/** What was stored since the tail was last complete, oldest first, as far as it would still be kept. */
async function readMissed(
  api: Api,
  { filters, keep }: Following,
  { since, until }: Coverage,
  signal: AbortSignal,
): Promise<LoggedRequest[]> {
  // Relative to the server's clock: the viewer's may be wrong. A request is stored some time after it happened.
  const spanMs = Date.now() - until + Math.min(STORING_DELAY_MS, until - since)
  const { lte: _lte, ...rest } = apiFilters(filters)
  const query = { ...rest, gte: `now-${Math.ceil(spanMs / 1_000) + 1}s`, limit: Math.min(keep, PAGE_ITEMS) }
  const requests: LoggedRequest[] = []
  for (let cursor: string | null = ''; cursor !== null && requests.length < keep; ) {
    const page: Output<'analyticsListRequests'> = await api.call(
      'analyticsListRequests',
      { query: { ...query, ...(cursor ? { cursor } : {}) } },
      { signal },
    )
    requests.push(...loggedRequests(page.items))
    cursor = page.next
  }
  return requests.reverse()
}

/** Aborts a connection on which not even a heartbeat arrives any more. */
function startIdleTimeout() {
  const controller = new AbortController()
  let activeAt = Date.now()
  const timer = setInterval(() => {
    if (Date.now() - activeAt > IDLE_MS_MAX) controller.abort()
  }, IDLE_MS_MAX / 10)
  return {
    signal: controller.signal,
    reset: () => {
      activeAt = Date.now()
    },
    stop: () => clearInterval(timer),
  }
}
