/** Whether something on the page is not saved yet: until it is, an answer to what the page asked again does not take it away. */
import { useEffect, useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let unsaved = 0

function count(more: number): void {
  unsaved += more
  for (const changed of listeners) changed()
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

export function useMarkUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return
    count(1)
    return () => count(-1)
  }, [isUnsaved])
}

export const useIsUnsaved = (): boolean => useSyncExternalStore(subscribe, () => unsaved > 0)
