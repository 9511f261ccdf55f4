/** Which buckets of a timeline are hovered or selected, by the pointer or by the keyboard. */
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { bucketEnd } from './timeline-scale.ts'

/** The buckets from `first` to `last`, both included. */
export interface Marked {
  readonly first: number
  readonly last: number
}

/** Buckets by their starts: where others come in their place, the choice stays at the same moments, or is let go. */
interface Choice {
  /** Where the choice began, and where it is now. */
  readonly anchor: number
  readonly at: number
  readonly isDragging: boolean
}

/** What a choice marks of the buckets that there are; null where one that it names is none of them. */
export function markedBuckets(
  starts: readonly number[],
  { anchor, at }: Pick<Choice, 'anchor' | 'at'>,
): Marked | null {
  const [first, last] = [starts.indexOf(Math.min(anchor, at)), starts.indexOf(Math.max(anchor, at))]
  return first < 0 || last < 0 ? null : { first, last }
}

export function useTimelineChoice(props: {
  /** Starts of the buckets, milliseconds since the epoch. */
  readonly starts: readonly number[]
  /** Pixels before the first bucket, and of all buckets. */
  readonly left: number
  readonly width: number
  readonly onWindow: ((gte: string, lte: string) => void) | undefined
}) {
  const { starts, onWindow } = props
  const [choice, setChoice] = useState<Choice | null>(null)
  const marked = choice && markedBuckets(starts, choice)
  /** The start of the bucket at an index, or of the nearest that there is. */
  const startAt = (index: number) => starts[Math.min(Math.max(index, 0), starts.length - 1)]
  const startUnder = (event: PointerEvent<HTMLElement>) => {
    const pixel = event.clientX - event.currentTarget.getBoundingClientRect().left - props.left
    return startAt(Math.floor((pixel / Math.max(props.width, 1)) * starts.length))
  }
  const open = ({ first, last }: Marked) => {
    const [from, until] = [starts[first], bucketEnd(starts, last)]
    if (from !== undefined) onWindow?.(new Date(from).toISOString(), new Date(until - 1).toISOString())
  }
  const handlers = {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      const at = startUnder(event)
      if (event.button !== 0 || !onWindow || at === undefined) return
      event.currentTarget.setPointerCapture(event.pointerId)
      setChoice({ anchor: at, at, isDragging: true })
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const at = startUnder(event)
      if (at === undefined) return
      setChoice((now) => (now?.isDragging ? { ...now, at } : { anchor: at, at, isDragging: false }))
    },
    onPointerUp() {
      if (!choice?.isDragging) return
      setChoice(null)
      if (marked && marked.first !== marked.last) open(marked)
    },
    onPointerLeave: () => setChoice((now) => (now?.isDragging ? now : null)),
    onPointerCancel: () => setChoice(null),
    onBlur: () => setChoice(null),
    onKeyDown(event: KeyboardEvent<HTMLElement>) {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (step !== undefined) {
        event.preventDefault()
        const at = startAt(marked ? starts.indexOf(choice.at) + step : step > 0 ? 0 : starts.length - 1)
        const anchor = event.shiftKey && marked ? choice.anchor : at
        if (at !== undefined && anchor !== undefined) setChoice({ anchor, at, isDragging: false })
      }
      if (event.key === 'Enter' && marked) open(marked)
      if (event.key === 'Escape') setChoice(null)
    },
  }
  return { marked, handlers }
}
