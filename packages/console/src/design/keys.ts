/** Keys that act on a page as a whole: single letters, never while somebody types or a dialog is open. */
import { useEffect, useRef } from 'react'

/** A letter that follows `g` so soon belongs to it. */
export const CHORD_MS = 900

/** Whether what has the focus takes letters itself, or stands over the page. */
export function takesKeys(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest('input, textarea, select, [role="dialog"], [role="menu"], [role="listbox"]') !== null)
  )
}

/** Calls the act of a key; what was given last counts. A key that is held down acts again. */
export function usePageKeys(acts: Readonly<Record<string, (() => void) | undefined>>): void {
  const latest = useRef(acts)
  useEffect(() => {
    latest.current = acts
  })
  useEffect(() => {
    let chordAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return
      if (takesKeys(event.target)) return
      const isOfChord = event.timeStamp - chordAt < CHORD_MS
      chordAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      const act = isOfChord ? undefined : latest.current[event.key]
      if (!act) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}
