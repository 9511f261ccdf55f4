import { useSyncExternalStore } from 'react'

const paper = window.matchMedia('print')

function subscribe(changed: () => void): () => void {
  paper.addEventListener('change', changed)
  return () => paper.removeEventListener('change', changed)
}

/** Whether the page is on its way to paper, on which nothing scrolls. */
export const useIsPrinted = (): boolean => useSyncExternalStore(subscribe, () => paper.matches)
