/** How close things stand: chosen in the top bar, kept in this browser, and read by `public/prelude.js` before the first paint. */
import { useSyncExternalStore } from 'react'

const STORAGE_KEY = 'sallyport.density'
const COMPACT = 'compact'

const listeners = new Set<() => void>()
const isCompactNow = (): boolean => document.documentElement.dataset.density === COMPACT

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

/** Whether things stand close, and what changes it. */
export function useDensity(): {
  readonly isCompact: boolean
  readonly setCompact: (isCompact: boolean) => void
} {
  return { isCompact: useSyncExternalStore(subscribe, isCompactNow), setCompact }
}

function setCompact(isCompact: boolean): void {
  if (isCompact) {
    document.documentElement.dataset.density = COMPACT
    localStorage.setItem(STORAGE_KEY, COMPACT)
  } else {
    delete document.documentElement.dataset.density
    localStorage.removeItem(STORAGE_KEY)
  }
  for (const changed of listeners) changed()
}
