import type { Outcome, Site, Situation } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useIsStopped } from '../../api/queries/organization-queries.ts'
import type { TimeWindow } from '../../api/traffic/request-filters.ts'
import { Stat, Stats } from '../../design/table/stat.tsx'
import { Sparkline } from '../../design/timeline/sparkline.tsx'
import { shortNumber } from '../../language/number.ts'
import type { TrafficSearch } from '../../parts/traffic/search.ts'
import classes from './overview.module.css'
import { texts } from './texts.ts'
import { changeOf } from './words/figure-change.ts'

/** Shown instead of a number until it is known. */
const UNKNOWN = '–'
const REFUSED = ['block', 'limit', 'gate', 'firewall'] as const

type Counts = Pick<Situation['period'], 'total' | 'outcomes' | 'serverErrors'>

/** The numbers on top, each beside that of the period before, and a link to what it counts. */
export function OverviewStats(props: {
  readonly window: TimeWindow
  readonly situation: Situation | undefined
  readonly sites: readonly Site[] | undefined
  /** The situation is that of another window still. */
  readonly busy: boolean
}) {
  const { window, situation, sites, busy } = props
  const isStopped = useIsStopped()
  const requests = (label: string, count: (counts: Counts) => number, search: TrafficSearch = {}) => (
    <Stat
      label={label}
      value={situation ? shortNumber(count(situation.period)) : UNKNOWN}
      note={
        situation ? (
          <Change
            now={count(situation.period)}
            before={situation.before && count(situation.before)}
            trend={situation.buckets.map(count)}
          />
        ) : undefined
      }
      link={<Link to="/traffic" search={{ ...window, ...search }} />}
    />
  )
  return (
    <Stats busy={busy}>
      {requests(texts.requests, ({ total }) => total)}
      {requests(texts.refused, ofOutcomes(REFUSED), { outcome: REFUSED })}
      {requests(texts.byTheFirewall, ofOutcomes(['firewall']), { outcome: ['firewall'] })}
      {requests(texts.serverErrors, ({ serverErrors }) => serverErrors, {
        ...{ status: ['5xx'], outcome: ['origin'], group: 'hacker' },
      })}
      <Stat
        label={texts.researchersActive}
        value={situation ? shortNumber(situation.period.researchers) : UNKNOWN}
        note={
          situation ? (
            <Change now={situation.period.researchers} before={situation.before?.researchers ?? null} />
          ) : undefined
        }
        link={<Link to="/researchers" />}
      />
      <Stat
        label={texts.sitesOpen}
        value={sites ? (isStopped ? 0 : sites.filter((site) => site.isActive).length) : UNKNOWN}
        note={sites ? texts.of(sites.length) : undefined}
        link={<Link to="/sites" />}
      />
    </Stats>
  )
}

const ofOutcomes =
  (outcomes: readonly Outcome[]) =>
  (counts: Counts): number =>
    outcomes.reduce((sum, outcome) => sum + counts.outcomes[outcome], 0)

function Change(props: {
  readonly now: number
  readonly before: number | null
  readonly trend?: readonly number[]
}) {
  const { sign, text, words } = changeOf(props.now, props.before)
  return (
    <span className={classes.change}>
      <span aria-hidden="true" title={words}>
        {sign} {text}
      </span>
      <span className="visually-hidden">, {words}</span>
      {props.trend ? <Sparkline values={props.trend} width={72} height={18} /> : null}
    </span>
  )
}
