/**
 * The live tail: server-sent events read through fetch, because EventSource cannot carry the bearer token. Reconnects
 * by itself with a growing pause, also where nothing is heard any more; what was stored meanwhile, or in a pause of the
 * viewer's, is read from the log, so that no request is left out unsaid. Keeps the newest requests only.
 */
import { useEffect, useRef, useState } from 'react'
import type { Api, Output } from '../api.ts'
import { useServices } from '../services.tsx'
import type { LoggedRequest } from './logged-request.ts'
import { apiFilters, type RequestFilters } from './request-filters.ts'
import { readServerSentEvents } from './server-sent-events.ts'

const RETRY_MS_MIN = 500
const RETRY_MS_MAX = 10_000
/** Arrivals are put on screen together, so that a flood costs one render a tick. */
const FLUSH_MS = 150
/** The server gives a sign of life every ten seconds. */
const SILENT_MS_MAX = 30_000
/** How much later than it happened a request is stored, gateways being in order. */
const LATE_MS = 60_000
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
  const heard = useRef<Heard | null>(null)
  useEffect(() => {
    if (lastKey.current !== key) {
      heard.current = null
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
    void follow(api, { filters: JSON.parse(key) as RequestFilters, keep, heard }, stop.signal, {
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

/** The first so many, each once: what is read from the log may have come by the stream, too. */
function newestOf(requests: readonly LoggedRequest[], keep: number): readonly LoggedRequest[] {
  const known = new Set<string>()
  const isNew = ({ id, kind }: LoggedRequest) => known.size < known.add(`${id} ${kind}`).size
  return requests.filter(isNew).slice(0, keep)
}

/** When the tail began, and when it was last known to be whole; milliseconds since the epoch. */
interface Heard {
  readonly since: number
  last: number
}

interface Following {
  readonly filters: RequestFilters
  readonly keep: number
  /** Null until the tail is open for the first time. */
  readonly heard: { current: Heard | null }
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

/** One connection, until it ends. First what the ones before missed is read from the log, this one being open already. */
async function followOnce(
  api: Api,
  following: Following,
  signal: AbortSignal,
  handlers: TailHandlers,
  onLive: () => void,
): Promise<void> {
  const silence = watchSilence()
  const { heard } = following
  try {
    const { gte: _gte, lte: _lte, ...query } = apiFilters(following.filters)
    const heeded = AbortSignal.any([signal, silence.signal])
    const response = await api.stream('analyticsTail', { query }, { signal: heeded })
    const openedAt = Date.now()
    if (heard.current)
      for (const request of await readMissed(api, following, heard.current, signal))
        handlers.onRequest(request)
    heard.current = { since: heard.current?.since ?? openedAt, last: openedAt }
    handlers.onState('live')
    onLive()
    const { current } = heard
    const onBytes = () => {
      silence.breaks()
      current.last = Date.now()
    }
    for await (const event of readServerSentEvents(response, onBytes)) {
      if (event.name === 'request') handlers.onRequest(JSON.parse(event.data) as LoggedRequest)
      if (event.name === 'missed') handlers.onMissed((JSON.parse(event.data) as { missed: number }).missed)
    }
  } finally {
    silence.end()
  }
}

/** What was stored since the tail was last heard, oldest first, as far as it would still be kept. */
async function readMissed(
  api: Api,
  { filters, keep }: Following,
  { since, last }: Heard,
  signal: AbortSignal,
): Promise<LoggedRequest[]> {
  // Relative to the server's clock: the viewer's may be wrong. What came late has an older time than its storing.
  const spanMs = Date.now() - last + Math.min(LATE_MS, last - since)
  const { lte: _lte, ...rest } = apiFilters(filters)
  const query = { ...rest, gte: `now-${Math.ceil(spanMs / 1_000) + 1}s`, limit: Math.min(keep, PAGE_ITEMS) }
  const requests: LoggedRequest[] = []
  for (let cursor: string | null = ''; cursor !== null && requests.length < keep; ) {
    const page: Output<'analyticsListRequests'> = await api.call(
      'analyticsListRequests',
      { query: { ...query, ...(cursor ? { cursor } : {}) } },
      { signal },
    )
    requests.push(...(page.items as unknown as readonly LoggedRequest[]))
    cursor = page.next
  }
  return requests.reverse()
}

/** Gives a connection up on which not even a sign of life comes any more. */
function watchSilence() {
  const controller = new AbortController()
  let heardAt = Date.now()
  const timer = setInterval(() => {
    if (Date.now() - heardAt > SILENT_MS_MAX) controller.abort()
  }, SILENT_MS_MAX / 10)
  return {
    signal: controller.signal,
    breaks: () => {
      heardAt = Date.now()
    },
    end: () => clearInterval(timer),
  }
}
