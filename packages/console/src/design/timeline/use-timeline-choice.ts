/** Which buckets of a timeline are hovered or selected, by the pointer or by the keyboard. */
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { bucketEnd } from './timeline-scale.ts'

/** The buckets from `first` to `last`, both included. */
export interface Marked {
  readonly first: number
  readonly last: number
}

interface Choice {
  /** Where the choice began, and where it is now. */
  readonly anchor: number
  readonly at: number
  readonly isDragging: boolean
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
  const clamp = (index: number) => Math.min(Math.max(index, 0), starts.length - 1)
  const bucketOf = (event: PointerEvent<HTMLElement>) => {
    const pixel = event.clientX - event.currentTarget.getBoundingClientRect().left - props.left
    return clamp(Math.floor((pixel / Math.max(props.width, 1)) * starts.length))
  }
  const open = ({ anchor, at }: Choice) => {
    const from = starts[Math.min(anchor, at)]
    if (from === undefined) return
    const until = bucketEnd(starts, Math.max(anchor, at))
    onWindow?.(new Date(from).toISOString(), new Date(until - 1).toISOString())
  }
  const handlers = {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0 || !onWindow) return
      event.currentTarget.setPointerCapture(event.pointerId)
      const at = bucketOf(event)
      setChoice({ anchor: at, at, isDragging: true })
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const at = bucketOf(event)
      setChoice((now) => (now?.isDragging ? { ...now, at } : { anchor: at, at, isDragging: false }))
    },
    onPointerUp() {
      if (!choice?.isDragging) return
      setChoice(null)
      if (choice.anchor !== choice.at) open(choice)
    },
    onPointerLeave: () => setChoice((now) => (now?.isDragging ? now : null)),
    onPointerCancel: () => setChoice(null),
    onBlur: () => setChoice(null),
    onKeyDown(event: KeyboardEvent<HTMLElement>) {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (step !== undefined) {
        event.preventDefault()
        const at = clamp(choice ? choice.at + step : step > 0 ? 0 : starts.length - 1)
        setChoice({ anchor: event.shiftKey && choice ? choice.anchor : at, at, isDragging: false })
      }
      if (event.key === 'Enter' && choice) open(choice)
      if (event.key === 'Escape') setChoice(null)
    },
  }
  const marked: Marked | null =
    choice && starts.length > 0
      ? { first: clamp(Math.min(choice.anchor, choice.at)), last: clamp(Math.max(choice.anchor, choice.at)) }
      : null
  return { marked, handlers }
}
