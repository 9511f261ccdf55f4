/**
 * Visits as bars in lanes of a day each, coloured by class of attack, with flags for answers 5xx and 429. Arrow keys move between
 * the bars: left and right in time, up and down between days. Each bar says in words what it shows.
 */
import type { Visit } from '@sallyport/contract'
import { type CSSProperties, type KeyboardEvent, useMemo } from 'react'
import { useTime } from '../../../design/time/time.tsx'
import { attackColour } from '../../../parts/attack/attack-colours.ts'
import { verdictCounts } from '../../../parts/researcher/verdict-counts.ts'
import { type LaneBar, laneLayout } from './lane-layout.ts'
import classes from './story.module.css'
import { texts } from './texts.ts'
import { visitWords } from './visit-words.ts'

export interface VisitChoice {
  readonly visits: readonly Visit[]
  /** The start of the visit that is chosen. */
  readonly chosen: string | null
  readonly onChoose: (visit: Visit) => void
}

const HOURS = [0, 6, 12, 18]

export function VisitLanes(props: VisitChoice) {
  const time = useTime()
  const lanes = useMemo(() => laneLayout(props.visits, time.zone), [props.visits, time.zone])
  // The Tab key enters at the chosen one, which may lie outside of the window by now.
  const isShown = props.visits.some(({ start }) => start === props.chosen)
  const reachable = isShown ? props.chosen : lanes[0]?.bars.at(-1)?.visit.start
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of form fields is not what this is
    <div
      className={classes.lanes}
      role="group"
      aria-label={texts.visitsByDayArrow}
      onKeyDown={moveBetweenBars}
    >
      <div className={classes.axis} aria-hidden="true">
        {HOURS.map((hour) => (
          <span key={hour} style={{ insetInlineStart: `${(100 * hour) / 24}%` }}>
            {String(hour).padStart(2, '0')}:00
          </span>
        ))}
      </div>
      {lanes.map((lane, index) => (
        <div key={lane.day} className={classes.lane}>
          <span className={classes.day}>{time.date(lane.day)}</span>
          <div className={classes.track}>
            {lane.bars.map((bar) => (
              <Bar
                key={bar.visit.start}
                bar={bar}
                lane={index}
                words={visitWords(bar.visit, time)}
                isChosen={bar.visit.start === props.chosen}
                isReachable={bar.visit.start === reachable}
                onChoose={props.onChoose}
              />
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}

function Bar(props: {
  readonly bar: LaneBar<Visit>
  readonly lane: number
  readonly words: string
  readonly isChosen: boolean
  readonly isReachable: boolean
  readonly onChoose: (visit: Visit) => void
}) {
  const { visit, left, width } = props.bar
  const { serverErrors, throttled } = verdictCounts(visit.verdicts)
  return (
    <button
      type="button"
      className={classes.bar}
      style={{ insetInlineStart: `${100 * left}%`, width: `${100 * width}%` }}
      aria-label={props.words}
      title={props.words}
      aria-pressed={props.isChosen}
      tabIndex={props.isReachable ? 0 : -1}
      data-lane={props.lane}
      data-left={left}
      onClick={() => props.onChoose(visit)}
    >
      <span className={classes.flags} aria-hidden="true">
        {serverErrors > 0 ? <span data-flag="5xx" /> : null}
        {throttled > 0 ? <span data-flag="429" /> : null}
      </span>
      <span className={classes.parts} aria-hidden="true">
        {partsOf(visit).map((part) => (
          <span
            key={part.class}
            style={
              {
                flexGrow: part.share,
                background: part.class === '' ? undefined : attackColour(part.class),
              } satisfies CSSProperties
            }
          />
        ))}
      </span>
    </button>
  )
}

/** What a bar consists of: what was no attack, and each class. A class that was tried at all is seen. */
function partsOf({
  requests,
  attempts,
  attacks,
}: Visit): { readonly class: string; readonly share: number }[] {
  const tried = attacks.reduce((sum, one) => sum + one.attempts, 0)
  // A request with two classes is in both: they share what attacks have of the bar.
  const scale = tried === 0 ? 0 : attempts / tried / requests
  return [
    { class: '', share: (requests - attempts) / requests },
    ...attacks.map((one) => ({ class: one.class, share: Math.max(one.attempts * scale, 0.06) })),
  ]
}

function moveBetweenBars(event: KeyboardEvent<HTMLElement>): void {
  const from = document.activeElement
  if (!(from instanceof HTMLElement) || from.dataset.lane === undefined) return
  const bars = [...event.currentTarget.querySelectorAll<HTMLElement>('button[data-lane]')]
  const next = nextBar(bars, from, event.key)
  if (next === null) return
  event.preventDefault()
  next?.focus()
}

/** Null for a key that moves nowhere. Lanes are the newest first, so that later is further up. */
function nextBar(
  bars: readonly HTMLElement[],
  from: HTMLElement,
  key: string,
): HTMLElement | undefined | null {
  const lane = Number(from.dataset.lane)
  const inTime = bars.toSorted(
    (left, right) => Number(right.dataset.lane) - Number(left.dataset.lane) || leftOf(left) - leftOf(right),
  )
  if (key === 'ArrowLeft') return inTime[inTime.indexOf(from) - 1]
  if (key === 'ArrowRight') return inTime[inTime.indexOf(from) + 1]
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return null
  const other = lane + (key === 'ArrowUp' ? -1 : 1)
  const distance = (bar: HTMLElement): number => Math.abs(leftOf(bar) - leftOf(from))
  return bars
    .filter((bar) => Number(bar.dataset.lane) === other)
    .sort((left, right) => distance(left) - distance(right))[0]
}

const leftOf = (bar: HTMLElement): number => Number(bar.dataset.left)
