/** Researchers by id, many in one call: whatever parts of a page need names at once share it. */
import type { QueryClient } from '@tanstack/react-query'
import type { Api } from './api.tsx'

/** No more are named in one call. */
const CALL_IDS = 100

interface Loads {
  /** Under way, by id. */
  readonly pending: Map<string, Promise<void>>
  /** Asked for, whether they were found or not. */
  readonly settled: Set<string>
  /** Of the next call. */
  waiting: Set<string>
}
const loadsOf = new WeakMap<QueryClient, Loads>()

/** The key under which one researcher is cached. */
export const researcherKey = (researcherId: string) => ['researchers', researcherId] as const

/**
 * Loads those that were not asked for yet into the cache. Resolves once all are there, or known not to be; to false where that was so
 * already.
 */
export async function loadResearchers(
  api: Api,
  queryClient: QueryClient,
  ids: readonly string[],
): Promise<boolean> {
  const loads = loadsOf.get(queryClient) ?? { pending: new Map(), settled: new Set(), waiting: new Set() }
  loadsOf.set(queryClient, loads)
  const unsettled = ids.filter((id) => !loads.settled.has(id))
  const unasked = unsettled.filter((id) => !loads.pending.has(id))
  if (unasked.length > 0) {
    if (loads.waiting.size === 0) setTimeout(() => loadWaiting(api, queryClient, loads))
    for (const id of unasked) loads.waiting.add(id)
  }
  // Those that wait are under way once the timer has run.
  if (unasked.length > 0) await new Promise((resolve) => setTimeout(resolve))
  await Promise.all(unsettled.map((id) => loads.pending.get(id)))
  return unsettled.length > 0
}

function loadWaiting(api: Api, queryClient: QueryClient, loads: Loads): void {
  const ids = [...loads.waiting]
  loads.waiting = new Set()
  for (let start = 0; start < ids.length; start += CALL_IDS) {
    const some = ids.slice(start, start + CALL_IDS)
    const call = loadNow(api, queryClient, some).finally(() => {
      for (const id of some) {
        loads.settled.add(id)
        loads.pending.delete(id)
      }
    })
    for (const id of some) loads.pending.set(id, call)
  }
}

/** What fails leaves the ids, which are shown in place of the names. */
const loadNow = (api: Api, queryClient: QueryClient, ids: string[]): Promise<void> =>
  api.call('hackersList', { query: { id: ids, limit: CALL_IDS } }).then(
    ({ items }) => {
      for (const one of items) queryClient.setQueryData(researcherKey(one.id), one)
    },
    () => undefined,
  )
