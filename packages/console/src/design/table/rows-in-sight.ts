/**
 * Which rows of a long table are in the document: those in sight of whatever scrolls it, and some on either side (TanStack Virtual).
 * The widths of its columns are those that its first rows gave them, so that nothing jumps when others come.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'

/** Shorter tables are in the document as a whole: the browser finds and prints all of it. */
export const LONG_FROM_ROWS = 60
const ROW_PIXELS = 52
const OVERSCAN = 10

export interface RowsInSight {
  /** Indices of the rows, in order. */
  readonly indices: readonly number[]
  /** Pixels of the rows above and below those. */
  readonly above: number
  readonly below: number
  /** To be the `ref` of each row, which has its index in `data-index`. */
  readonly measure: (row: HTMLTableRowElement | null) => void
  /** Of the columns, in pixels; the widest has what is left of the table, and none of its own. Undefined until they are known. */
  readonly widths: readonly (number | undefined)[] | undefined
}

/** @param head what changes with the columns */
export function useRowsInSight(
  table: RefObject<HTMLTableElement | null>,
  count: number,
  head: string,
): RowsInSight {
  const [margin, setMargin] = useState(0)
  const virtual = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count,
    getScrollElement: () => scrollerOf(table.current),
    estimateSize: () => ROW_PIXELS,
    overscan: OVERSCAN,
    scrollMargin: margin,
  })
  const items = virtual.getVirtualItems()
  // What stands above the table may come and go.
  useLayoutEffect(() => {
    const [body, scroller] = [table.current?.tBodies[0], scrollerOf(table.current)]
    if (!body || !scroller) return
    const now = body.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop
    if (Math.abs(now - margin) > 1) setMargin(now)
  })
  const last = items.at(-1)
  return {
    indices: items.map(({ index }) => index),
    above: (items[0]?.start ?? margin) - margin,
    below: last ? virtual.getTotalSize() - (last.end - margin) : 0,
    measure: virtual.measureElement,
    widths: useFirstWidths(table, items.length > 0, head),
  }
}

function useFirstWidths(
  table: RefObject<HTMLTableElement | null>,
  hasRows: boolean,
  head: string,
): readonly (number | undefined)[] | undefined {
  const [known, setKnown] = useState<{
    readonly head: string
    readonly widths: readonly (number | undefined)[]
  }>()
  const widths = known?.head === head ? known.widths : undefined
  useLayoutEffect(() => {
    const row = table.current?.tHead?.rows[0]
    if (widths || !hasRows || !row) return
    const pixels = [...row.cells].map((cell) => Math.ceil(cell.getBoundingClientRect().width))
    const widest = pixels.indexOf(Math.max(...pixels))
    setKnown({ head, widths: pixels.map((one, index) => (index === widest ? undefined : one)) })
  }, [table, widths, hasRows, head])
  useEffect(() => {
    const frame = table.current?.parentElement
    if (!frame) return
    let width = frame.clientWidth
    const observer = new ResizeObserver(() => {
      if (frame.clientWidth === width) return
      width = frame.clientWidth
      setKnown(undefined)
    })
    observer.observe(frame)
    return () => observer.disconnect()
  }, [table])
  return widths
}

/** What scrolls the table up and down: not the frame around it, which scrolls it sideways. */
function scrollerOf(table: HTMLTableElement | null): HTMLElement | null {
  let at = table?.parentElement?.parentElement ?? null
  while (at && !/auto|scroll/.test(getComputedStyle(at).overflowY)) at = at.parentElement
  return at ?? (table && document.documentElement)
}
