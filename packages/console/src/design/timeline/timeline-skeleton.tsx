import classes from './timeline.module.css'
import { TIMELINE_HEIGHT } from './timeline.tsx'

const HEIGHTS = [34, 52, 40, 66, 58, 74, 46, 62, 80, 55, 44, 70, 60, 38, 50, 64, 48, 72, 57, 42]

/** Stands where a timeline will be, as large as it, so that nothing jumps when it comes. */
export function TimelineSkeleton({ height = TIMELINE_HEIGHT }: { readonly height?: number }) {
  return (
    <div className={classes.skeleton} style={{ height }} role="status">
      <span className="visually-hidden">Loading…</span>
      {HEIGHTS.map((percent) => (
        <span key={percent} aria-hidden="true" style={{ height: `${percent}%` }} />
      ))}
    </div>
  )
}
