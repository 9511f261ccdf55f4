/** How true the screen is: in the frame of every page, and in words above it while the control plane does not answer. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useReach } from '../../api/api.tsx'
import { errorWords } from '../../api/error-words.ts'
import { Icon } from '../../design/icon.tsx'
import { Status, type Tone } from '../../design/table/status.tsx'
import { useNow, useTime } from '../../design/time/time.tsx'
import classes from './shell.module.css'

/** Every page asks something every five seconds while it is looked at. */
const STALE_MS = 8_000
const SECOND_MS = 1_000

/** `Live · 2 s ago`, `Stale · 40 s` or `Away`. */
export function ReachPill() {
  const { answeredAt, faults } = useReach()
  const now = useNow(SECOND_MS)
  if ('control' in faults) return <Pill tone="bad" state="Away" />
  if (answeredAt === null) return <Pill tone="busy" state="Connecting" />
  const ageMs = Math.max(0, now - answeredAt)
  const age = ageWords(ageMs)
  return ageMs > STALE_MS ? (
    <Pill tone="warn" state="Stale" age={` · ${age}`} />
  ) : (
    <Pill tone="good" state="Live" age={` · ${age} ago`} />
  )
}

function Pill(props: { readonly tone: Tone; readonly state: string; readonly age?: string }) {
  return (
    <span className={classes.pill} title="When the control plane last answered this page">
      <Status tone={props.tone}>
        <span>
          {props.state}
          <span className={classes.age}>{props.age}</span>
        </span>
      </Status>
    </span>
  )
}

function ageWords(ageMs: number): string {
  const seconds = Math.floor(ageMs / SECOND_MS)
  if (seconds < 100) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`
}

/** One for everything that fails at once, in the place of a box in every panel. */
export function AwayBanner() {
  const { answeredAt, faults } = useReach()
  const queryClient = useQueryClient()
  const time = useTime()
  const isControl = 'control' in faults
  if (!isControl && !('traffic' in faults)) return null
  const { title, detail, requestId } = errorWords(isControl ? faults.control : faults.traffic)
  return (
    <div className={classes.away} role="alert">
      <Icon name="warning" />
      <span>
        <strong>{isControl ? title : `The traffic record is not available. ${title}`}.</strong>{' '}
        {detail ? `${detail} ` : ''}
        {isControl ? <Since instant={answeredAt} clock={time.clock} /> : null}
        {requestId ? <code> request {requestId}</code> : null}
      </span>
      <Button
        variant="white"
        color="dark"
        onClick={() => void queryClient.refetchQueries({ type: 'active' })}
      >
        Try again
      </Button>
    </div>
  )
}

function Since(props: { readonly instant: number | null; readonly clock: (instant: string) => string }) {
  if (props.instant === null) return null
  return `What you see is of ${props.clock(new Date(props.instant).toISOString()).slice(0, 8)}, and may be different now.`
}
