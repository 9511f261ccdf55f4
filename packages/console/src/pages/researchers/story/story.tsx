/** What a researcher did: when, with what, from where, and what became of it. */
import type { HackerProfile, Visit } from '@sallyport/contract'
import { useState } from 'react'
import type { TimeWindow } from '../../../api/traffic/request-filters.ts'
import { useStory } from '../../../api/traffic/story-queries.ts'
import { EmptyState, QueryState } from '../../../design/feedback/states.tsx'
import { Segments } from '../../../design/form/fields.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { RelativeTime } from '../../../design/time/time.tsx'
import { WindowPicker } from '../../../design/time/window-picker.tsx'
import { wholeNumber } from '../../../language/number.ts'
import { AttackList } from '../../../parts/attack/attack-list.tsx'
import { attackTotals } from '../../../parts/attack/attack-totals.ts'
import { Activity } from './activity.tsx'
import { CoveragePanel } from './coverage-panel.tsx'
import { SeenLists } from './seen-lists.tsx'
import { StepPanel } from './step-table.tsx'
import classes from './story.module.css'
import { texts } from './texts.ts'
import { VisitLanes } from './visit-lanes.tsx'
import { VisitTable } from './visit-table.tsx'

const SHAPES = [
  { value: 'lanes', label: texts.lanes },
  { value: 'table', label: texts.table },
] as const
type Shape = (typeof SHAPES)[number]['value']

export function Story({ researcherId }: { readonly researcherId: string }) {
  const [window, setWindow] = useState<TimeWindow>({ gte: 'now-7d' })
  const story = useStory(researcherId, window)
  const profile = story.data?.profiles?.[0]
  const siteNames = new Map(story.data?.siteNames?.map(({ id, name }) => [id, name]))
  return (
    <>
      <VisitPanel
        query={story}
        window={window}
        onWindow={setWindow}
        facts={profile ? <ProfileFacts profile={profile} /> : null}
      />
      <Activity researcherId={researcherId} window={window} />
      <SeenLists
        query={story}
        profile={profile}
        siteNames={siteNames}
        researcherId={researcherId}
        search={{ ...window, hacker: [researcherId] }}
      />
      {profile ? <CoveragePanel profile={profile} siteNames={siteNames} window={window} /> : null}
    </>
  )
}

function VisitPanel(props: {
  readonly query: ReturnType<typeof useStory>
  readonly window: TimeWindow
  readonly onWindow: (window: TimeWindow) => void
  readonly facts: React.ReactNode
}) {
  const [shape, setShape] = useState<Shape>('lanes')
  const [chosen, setChosen] = useState<Visit | null>(null)
  const { query } = props
  const visits = query.data?.visits ?? []
  // A visit that is still going on grows.
  const shown = visits.find(({ start }) => start === chosen?.start) ?? chosen
  const choice = { visits, chosen: shown?.start ?? null, onChoose: setChosen }
  return (
    <>
      <Panel
        title={texts.visits}
        description={texts.visitsHint}
        flush
        busy={query.isPlaceholderData}
        actions={
          <>
            <Segments
              label={texts.showVisitsAs}
              choices={SHAPES}
              value={shape}
              disabled={visits.length === 0}
              onChange={setShape}
            />
            <WindowPicker value={props.window} onChange={props.onWindow} />
          </>
        }
      >
        {props.facts}
        <QueryState query={query} />
        {query.data && visits.length === 0 ? (
          <EmptyState icon="traffic" title={texts.noRequestsInThisWindow} />
        ) : null}
        {visits.length > 0 && shape === 'lanes' ? (
          <>
            <Legend visits={visits} />
            <VisitLanes {...choice} />
          </>
        ) : null}
        {visits.length > 0 && shape === 'table' ? <VisitTable {...choice} /> : null}
        {query.data?.isPartial ? (
          <p className={classes.note}>{texts.theseAreTheNewest(visits.length)}</p>
        ) : null}
      </Panel>
      {shown ? <StepPanel key={shown.start} visit={shown} /> : null}
    </>
  )
}

function Legend(props: { readonly visits: readonly Visit[] }) {
  const attacks = attackTotals(props.visits.map((visit) => visit.attacks))
  return (
    <div className={classes.legend}>
      <span className={classes.legendItem}>
        {texts.noAttack(<span className={classes.square} aria-hidden="true" />)}
      </span>
      <AttackList attacks={attacks} shown={8} none="" />
    </div>
  )
}

function ProfileFacts({ profile }: { readonly profile: HackerProfile }) {
  return (
    <dl className={classes.facts}>
      {(
        [
          [texts.firstSeen, <RelativeTime key="first" instant={profile.firstSeen} otherwise={texts.never} />],
          [texts.lastSeen, <RelativeTime key="last" instant={profile.lastSeen} otherwise={texts.never} />],
          [texts.visits, wholeNumber(profile.visits)],
          [texts.requests, wholeNumber(profile.requests)],
        ] as const
      ).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
