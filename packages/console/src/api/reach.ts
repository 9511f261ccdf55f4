/**
 * Whether the control plane answers, by what its calls come to. What the console shows is true of the moment of the last
 * answer, and it says so where that was a while ago.
 */
import type { OperationId } from '@sallyport/contract'
import { useSyncExternalStore } from 'react'
import { serverNow } from './server-clock.ts'

/** What may be away by itself: the record of traffic has a database of its own. */
export type ReachArea = 'control' | 'traffic'

export interface Reach {
  /** When something was last answered, milliseconds since the epoch; null before the first answer. */
  readonly answeredAt: number | null
  /** Why the last call failed, by what failed. One that is answered ends it. */
  readonly faults: Readonly<Partial<Record<ReachArea, unknown>>>
}

export interface ReachWatch {
  readonly current: Reach
  answered(id: OperationId): void
  failed(id: OperationId, error: unknown): void
  /** Nothing on the page depends on an area any more. */
  forget(area: ReachArea): void
  subscribe(changed: () => void): () => void
}

/** A definition is learned of the traffic, and a budget counted in it. */
export const areaOf = (path: string): ReachArea =>
  /^\/api\/(?:Analytics\/|Sites\/getAPIdefinition|Hackers\/\{id\}\/budget$)/.test(path)
    ? 'traffic'
    : 'control'

/** Watches the calls of a client. `pathOf` names the path of an operation. */
export function createReachWatch(pathOf: (id: OperationId) => string): ReachWatch {
  let current: Reach = { answeredAt: null, faults: {} }
  const listeners = new Set<() => void>()
  const become = (next: Reach): void => {
    current = next
    for (const changed of listeners) changed()
  }
  return {
    get current() {
      return current
    },
    answered(id) {
      const { [areaOf(pathOf(id))]: _ended, ...faults } = current.faults
      become({ answeredAt: serverNow(), faults })
    },
    failed(id, error) {
      become({ ...current, faults: { ...current.faults, [areaOf(pathOf(id))]: error } })
    },
    forget(area) {
      const { [area]: _forgotten, ...faults } = current.faults
      if (area in current.faults) become({ ...current, faults })
    },
    subscribe(changed) {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
  }
}

export const useReachOf = (watch: ReachWatch): Reach =>
  useSyncExternalStore(watch.subscribe, () => watch.current)
