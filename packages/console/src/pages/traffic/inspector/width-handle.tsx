import { useLocalStorage } from '@mantine/hooks'
import type { KeyboardEvent, PointerEvent } from 'react'
import classes from './inspector.module.css'
import { texts } from './texts.ts'

const PIXELS_MIN = 320
const PIXELS_MAX = 900
const PIXELS_DEFAULT = 460
const KEY_PIXELS = 24

export interface Width {
  readonly value: number
  readonly set: (pixels: number) => void
}

const bounded = (pixels: number): number =>
  Number.isFinite(pixels) ? Math.round(Math.min(Math.max(pixels, PIXELS_MIN), PIXELS_MAX)) : PIXELS_DEFAULT

/** How wide the inspector is, as this browser keeps it. */
export function useWidth(): Width {
  const [pixels, setPixels] = useLocalStorage<number>({
    key: 'sallyport.inspector.width',
    defaultValue: PIXELS_DEFAULT,
    getInitialValueInEffect: false,
  })
  return { value: bounded(Number(pixels)), set: (wanted) => setPixels(bounded(wanted)) }
}

/** The edge that is dragged, or moved by the arrow keys. */
export function WidthHandle({ width }: { readonly width: Width }) {
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const inspector = event.currentTarget.parentElement
    if (!inspector || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    width.set(inspector.getBoundingClientRect().right - event.clientX)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: KEY_PIXELS, ArrowRight: -KEY_PIXELS }[event.key]
    if (step === undefined) return
    event.preventDefault()
    width.set(width.value + step)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule between two parts that moves is no <hr>
    <div
      role="separator"
      tabIndex={0}
      className={classes.handle}
      aria-label={texts.widthOfTheRequest}
      aria-orientation="vertical"
      aria-valuenow={width.value}
      aria-valuemin={PIXELS_MIN}
      aria-valuemax={PIXELS_MAX}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
    />
  )
}
