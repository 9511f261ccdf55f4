import { type KeyboardEvent, useCallback, useMemo, useState } from 'react'
import type { LoggedRequest } from '../../../api/traffic/request-filters.ts'

const PAGE_STEP = 15
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: PAGE_STEP,
  PageUp: -PAGE_STEP,
}

/** The active row of a grid of requests: arrow keys move it, Enter or a click opens it. */
export function useGridKeys(props: {
  readonly requests: readonly LoggedRequest[]
  /** The request that is open beside the table: it is the active one from when it was opened. */
  readonly opened: string | undefined
  readonly onOpen: (requestId: string) => void
  readonly onMove: (index: number) => void
}) {
  const { requests, opened, onOpen } = props
  const [chosen, setChosen] = useState<LoggedRequest | null>(null)
  const [shownFor, setShownFor] = useState<string | undefined>(undefined)
  if (opened !== shownFor) {
    const request = requests.find(({ id }) => id === opened)
    if (request && request.id !== chosen?.id) setChosen(request)
    // What is opened before its row is there is looked for again when it comes.
    if (request || opened === undefined) setShownFor(opened)
  }
  // A row stays the active one where new ones come above it. Before one is chosen, it is the newest.
  const active = useMemo(() => Math.max(0, indexIn(requests, chosen)), [requests, chosen])
  const open = useCallback(
    (request: LoggedRequest) => {
      setChosen(request)
      onOpen(request.id)
    },
    [onOpen],
  )
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step !== undefined && requests.length > 0) {
      event.preventDefault()
      const next = Math.min(Math.max(active + step, 0), requests.length - 1)
      setChosen(requests[next] ?? null)
      props.onMove(next)
    }
    const request = requests[active]
    if (event.key === 'Enter' && request) open(request)
  }
  return { active, open, onKeyDown }
}

const indexIn = (requests: readonly LoggedRequest[], sought: LoggedRequest | null): number =>
  sought ? requests.findIndex(({ id, kind }) => id === sought.id && kind === sought.kind) : 0
