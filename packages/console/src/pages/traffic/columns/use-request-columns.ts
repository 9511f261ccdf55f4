/**
 * The columns of the request log as TanStack Table keeps them: which, in which order, how wide. It is given no rows: of a hundred
 * thousand it would make an object each, and those in sight are drawn by the virtualizer.
 */
import { useLocalStorage } from '@mantine/hooks'
import {
  columnOrderingFeature,
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  functionalUpdate,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useMemo } from 'react'
import { type ColumnChoice, readColumnChoice, WIDTH_MAX, WIDTH_MIN } from './column-choice.ts'
import { columnOf, REQUEST_COLUMNS, TARGET_COLUMN } from './request-columns.tsx'

const FEATURES = tableFeatures({
  columnVisibilityFeature,
  columnOrderingFeature,
  columnSizingFeature,
  columnResizingFeature,
})
const DEFINITIONS = REQUEST_COLUMNS.map(({ id, head, width }) => ({
  id,
  header: head,
  size: width,
  minSize: WIDTH_MIN,
  maxSize: WIDTH_MAX,
}))
const NO_ROWS: readonly object[] = []

export function useRequestColumns() {
  const [stored, setStored, reset] = useLocalStorage<unknown>({
    key: 'sallyport.columns',
    defaultValue: null,
    getInitialValueInEffect: false,
  })
  const choice = useMemo(() => readColumnChoice(stored, REQUEST_COLUMNS), [stored])
  const change = (part: Partial<ColumnChoice>) =>
    setStored((now: unknown) => ({ ...readColumnChoice(now, REQUEST_COLUMNS), ...part }))
  const state = {
    columnOrder: [...choice.order],
    columnVisibility: { ...choice.shown },
    columnSizing: { ...choice.widths },
  }
  const table = useTable({
    features: FEATURES,
    columns: DEFINITIONS,
    data: NO_ROWS,
    state,
    onColumnOrderChange: (updater) => change({ order: functionalUpdate(updater, state.columnOrder) }),
    onColumnVisibilityChange: (updater) =>
      change({ shown: functionalUpdate(updater, state.columnVisibility) }),
    onColumnSizingChange: (updater) => change({ widths: functionalUpdate(updater, state.columnSizing) }),
    columnResizeMode: 'onChange',
  })
  const headers = table.getHeaderGroups()[0]?.headers ?? []
  const shown = headers.flatMap((header) => columnOf(header.column.id) ?? [])
  const widths = headers.map((header) => header.column.getSize())
  const template = headers
    .map(({ column }, index) =>
      column.id === TARGET_COLUMN ? `minmax(${widths[index]}px, 1fr)` : `${widths[index]}px`,
    )
    .join(' ')
  return {
    table,
    headers,
    choice,
    change,
    reset,
    /** The same objects from one drawing to the next, so that rows need not be drawn again. */
    shown: useStable(shown),
    template,
    /** Pixels of all columns, of the gaps between them and of the margins. */
    width: widths.reduce((sum, width) => sum + width + GAP_PIXELS, 2 * MARGIN_PIXELS - GAP_PIXELS),
  }
}

/** As in the style sheet. */
const GAP_PIXELS = 9
const MARGIN_PIXELS = 14

function useStable<Item extends { readonly id: string }>(items: readonly Item[]): readonly Item[] {
  const key = items.map(({ id }) => id).join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: items of the same ids are the same
  return useMemo(() => items, [key])
}

export type RequestColumns = ReturnType<typeof useRequestColumns>
