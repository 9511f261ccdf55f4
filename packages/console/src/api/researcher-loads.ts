/** Researchers by id, many in one call: whatever parts of a page need names at once share it. Names that an answer has are known from it. */
import type { ResearcherName } from '@sallyport/contract'
import type { QueryClient } from '@tanstack/react-query'
import { personName } from '../language/names.ts'
import type { Api } from './api.tsx'

/** No more are named in one call. */
const CALL_IDS = 100

interface Loads {
  /** What they are called, by id, as the last answer said that named them. */
  readonly names: Map<string, string>
  /** Under way, by id. */
  readonly pending: Map<string, Promise<void>>
  /** Asked for, whether they were found or not. */
  readonly settled: Set<string>
  /** Of the next call. */
  waiting: Set<string>
}
const loadsByClient = new WeakMap<QueryClient, Loads>()

function loadsOf(queryClient: QueryClient): Loads {
  const known = loadsByClient.get(queryClient)
  if (known) return known
  const loads: Loads = { names: new Map(), pending: new Map(), settled: new Set(), waiting: new Set() }
  loadsByClient.set(queryClient, loads)
  return loads
}

/** The key under which one researcher is cached. */
export const researcherKey = (researcherId: string) => ['researchers', researcherId] as const

/** What a researcher is called; undefined until it is known. */
export const nameOfResearcher = (queryClient: QueryClient, id: string): string | undefined =>
  loadsOf(queryClient).names.get(id)

/** Notes the names of researchers that an answer has, which then need no call of their own; answers it. */
export function notingNames<Answer>(queryClient: QueryClient, answer: Answer): Answer {
  const { names, settled } = loadsOf(queryClient)
  for (const { id, name } of namesIn(answer)) {
    settled.add(id)
    if (name !== null) names.set(id, name)
  }
  return answer
}

function namesIn(answer: unknown): readonly ResearcherName[] {
  if (typeof answer !== 'object' || answer === null || !('researcherNames' in answer)) return []
  // Every operation with such a member declares it so.
  return (answer.researcherNames as ResearcherName[] | undefined) ?? []
}

/**
 * Loads those that were not asked for yet into the cache. Resolves once all are there, or known not to be; to false where that was so
 * already.
 */
export async function loadResearchers(
  api: Api,
  queryClient: QueryClient,
  ids: readonly string[],
): Promise<boolean> {
  const loads = loadsOf(queryClient)
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
      const { names } = loadsOf(queryClient)
      for (const one of items) {
        names.set(one.id, personName(one))
        queryClient.setQueryData(researcherKey(one.id), one)
      }
    },
    () => undefined,
  )
