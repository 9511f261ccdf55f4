/** How true the screen is: in the frame of every page, and in words above it while the control plane does not answer. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useReach } from '../../api/api.tsx'
import { errorWords } from '../../api/error-words.ts'
import { Icon } from '../../design/icon.tsx'
import { Status, type Tone } from '../../design/table/status.tsx'
import { useNow, useTime } from '../../design/time/time.tsx'
import classes from './shell.module.css'
import { texts } from './texts.ts'

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
    <Pill tone="good" state="Live" age={texts.ago(age)} />
  )
}

function Pill(props: { readonly tone: Tone; readonly state: string; readonly age?: string }) {
  return (
    <span className={classes.pill} title={texts.whenTheControlPlane}>
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
  return minutes < 100 ? texts.min(minutes) : texts.h(Math.floor(minutes / 60))
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
        <strong>{isControl ? title : texts.theTrafficRecord(title)}.</strong> {detail ? `${detail} ` : ''}
        {isControl ? <Since instant={answeredAt} clock={time.clock} /> : null}
        {requestId ? <code>{texts.request(requestId)}</code> : null}
      </span>
      <Button
        variant="white"
        color="dark"
        onClick={() => void queryClient.refetchQueries({ type: 'active' })}
      >
        {texts.tryAgain}
      </Button>
    </div>
  )
}

function Since(props: { readonly instant: number | null; readonly clock: (instant: string) => string }) {
  if (props.instant === null) return null
  return texts.whatYouSee(props.clock(new Date(props.instant).toISOString()).slice(0, 8))
}
