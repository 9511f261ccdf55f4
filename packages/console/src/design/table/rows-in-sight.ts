/**
 * Which rows of a long table are in the document: those in sight of whatever scrolls it, some on either side (TanStack Virtual), and the
 * one with the focus, which a scroll would take away with its row.
 * The widths of its columns are those that its first rows gave them, so that nothing jumps when others come.
 */
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from 'react'

/** Shorter tables are in the document as a whole: the browser finds and prints all of it. */
export const LONG_FROM_ROWS = 60
const ROW_PIXELS = 52
const OVERSCAN = 10

export interface RowsInSight {
  /** In order; `above` are the pixels of the rows between it and the one before it. */
  readonly rows: readonly { readonly index: number; readonly above: number }[]
  /** Pixels of the rows below those. */
  readonly below: number
  /** To be the `ref` of each row, which has its index in `data-index`. */
  readonly measure: (row: HTMLTableRowElement | null) => void
  /** Of the columns, in pixels; the widest has what is left of the table, and none of its own. Undefined until they are known. */
  readonly widths: readonly (number | undefined)[] | undefined
  /** Of the whole table, in pixels: where that is more than its frame shows, the widest is no narrower than its words. */
  readonly width: number | undefined
}

/** @param head what changes with the columns */
export function useRowsInSight(
  table: RefObject<HTMLTableElement | null>,
  count: number,
  head: string,
): RowsInSight {
  const [margin, setMargin] = useState(0)
  const rangeExtractor = useCallback(
    (range: Range) => {
      const inSight = defaultRangeExtractor(range)
      const focused = focusedIndex(table.current)
      return focused === null || focused >= range.count || inSight.includes(focused)
        ? inSight
        : [...inSight, focused].sort((left, right) => left - right)
    },
    [table],
  )
  const virtual = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count,
    getScrollElement: () => scrollerOf(table.current),
    estimateSize: () => ROW_PIXELS,
    overscan: OVERSCAN,
    scrollMargin: margin,
    rangeExtractor,
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
    rows: items.map(({ index, start }, place) => ({
      index,
      above: start - (items[place - 1]?.end ?? margin),
    })),
    below: last ? virtual.getTotalSize() - (last.end - margin) : 0,
    measure: virtual.measureElement,
    ...useFirstWidths(table, items.length > 0, head),
  }
}

const UNKNOWN = { widths: undefined, width: undefined }

function focusedIndex(table: HTMLTableElement | null): number | null {
  const row = table?.contains(document.activeElement) ? document.activeElement?.closest('tr') : null
  return row?.dataset.index === undefined ? null : Number(row.dataset.index)
}

function useFirstWidths(
  table: RefObject<HTMLTableElement | null>,
  hasRows: boolean,
  head: string,
): Pick<RowsInSight, 'widths' | 'width'> {
  const [known, setKnown] = useState<{
    readonly head: string
    readonly widths: readonly (number | undefined)[]
    readonly width: number
  }>()
  const { widths, width } = known?.head === head ? known : UNKNOWN
  useLayoutEffect(() => {
    const row = table.current?.tHead?.rows[0]
    if (widths || !hasRows || !row) return
    const pixels = [...row.cells].map((cell) => Math.ceil(cell.getBoundingClientRect().width))
    const widest = pixels.indexOf(Math.max(...pixels))
    setKnown({
      head,
      widths: pixels.map((one, index) => (index === widest ? undefined : one)),
      width: Math.floor(row.getBoundingClientRect().width),
    })
  }, [table, widths, hasRows, head])
  useEffect(() => {
    const frame = table.current?.parentElement
    if (!frame) return
    let shown = frame.clientWidth
    const observer = new ResizeObserver(() => {
      if (frame.clientWidth === shown) return
      shown = frame.clientWidth
      setKnown(undefined)
    })
    observer.observe(frame)
    return () => observer.disconnect()
  }, [table])
  return { widths, width }
}

/** What scrolls the table up and down: not the frame around it, which scrolls it sideways. */
function scrollerOf(table: HTMLTableElement | null): HTMLElement | null {
  let at = table?.parentElement?.parentElement ?? null
  while (at && !/auto|scroll/.test(getComputedStyle(at).overflowY)) at = at.parentElement
  return at ?? (table && document.documentElement)
}
