/** Which operations of a site were tried with which classes of attack, and what only looks clean because the gate refused it. */
import { Switch } from '@mantine/core'
import type { Site } from '@sallyport/contract'
import { useState } from 'react'
import {
  type CellName,
  type Coverage,
  type CoverageScope,
  useCoverage,
  useSiteResearchers,
} from '../../../api/queries/coverage-queries.ts'
import { useResearcherNames } from '../../../api/queries/researcher-queries.ts'
import type { TimeWindow } from '../../../api/traffic/request-filters.ts'
import { EmptyState, QueryState } from '../../../design/feedback/states.tsx'
import { Choice } from '../../../design/form/fields.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { WindowPicker } from '../../../design/time/window-picker.tsx'
import { AttemptsDrawer } from '../../../parts/coverage/attempts-drawer.tsx'
import classes from '../../../parts/coverage/coverage.module.css'
import { CoverageMapWithLegend } from '../../../parts/coverage/coverage-table.tsx'
import { CoverageExportMenu } from './coverage-export-menu.tsx'
import { CrossingsPanel } from './crossings-panel.tsx'
import { texts } from './texts.ts'
import { TimeSlider } from './time-slider.tsx'

const DEFAULT_GTE = 'now-30d'

export function CoverageTab({ site }: { readonly site: Site }) {
  const [window, setWindow] = useState<TimeWindow>({ gte: DEFAULT_GTE })
  const [until, setUntil] = useState<string | undefined>(undefined)
  const [hacker, setHacker] = useState('')
  const [untestedFirst, setUntestedFirst] = useState(false)
  const [cell, setCell] = useState<CellName | null>(null)
  const gte = window.gte ?? DEFAULT_GTE
  const lte = until ?? window.lte
  const scope: CoverageScope = { gte, ...(lte ? { lte } : {}), ...(hacker ? { hacker: [hacker] } : {}) }
  const coverage = useCoverage(site.id, scope)
  const choose = (chosen: TimeWindow) => {
    setUntil(undefined)
    setWindow(chosen)
  }
  return (
    <>
      <Panel
        title={texts.coverage}
        description={texts.coverageHint}
        flush
        busy={coverage.isPlaceholderData}
        actions={
          <>
            <ResearcherChoice siteId={site.id} gte={gte} value={hacker} onChange={setHacker} />
            <WindowPicker value={{ gte, lte: window.lte }} onChange={choose} />
            <CoverageExportMenu siteId={site.id} scope={scope} />
          </>
        }
      >
        <QueryState query={coverage} />
        {coverage.data ? (
          <>
            <Summary coverage={coverage.data} />
            <div className={classes.tools}>
              <TimeSlider gte={gte} lte={window.lte} value={until} onChange={setUntil} />
              <Switch
                label={texts.untestedFirst}
                checked={untestedFirst}
                onChange={(event) => setUntestedFirst(event.currentTarget.checked)}
              />
            </div>
            {coverage.data.operations.length === 0 ? (
              <EmptyState icon="sites" title={texts.noOperationsKnownYet}>
                {texts.noOperationsKnownYetBody}
              </EmptyState>
            ) : (
              <CoverageMapWithLegend
                coverage={coverage.data}
                order={untestedFirst ? 'untested' : 'definition'}
                onCell={setCell}
              />
            )}
          </>
        ) : null}
      </Panel>
      <CrossingsPanel siteId={site.id} scope={scope} />
      {cell ? (
        <AttemptsDrawer siteId={site.id} scope={scope} cell={cell} onClose={() => setCell(null)} />
      ) : null}
    </>
  )
}

function ResearcherChoice(props: {
  readonly siteId: string
  readonly gte: string
  readonly value: string
  readonly onChange: (hacker: string) => void
}) {
  const nameOf = useResearcherNames()
  const activity = useSiteResearchers(props.siteId, props.gte)
  const known = activity.data?.rows.map((row) => row.value).filter((id) => id !== '') ?? []
  const ids = props.value === '' || known.includes(props.value) ? known : [props.value, ...known]
  return (
    <Choice
      size="xs"
      aria-label={texts.researcher}
      value={props.value}
      onChange={props.onChange}
      choices={[
        { value: '', label: texts.allResearchers },
        ...ids.map((id) => ({ value: id, label: nameOf(id) })),
      ]}
    />
  )
}

function Summary({ coverage }: { readonly coverage: Coverage }) {
  const { summary, isPartial } = coverage
  const facts = [
    texts.operations(summary.operations),
    texts.untested(
      summary.untested,
      summary.untestedRefused > 0 ? texts.becauseTheGateRefused(summary.untestedRefused) : '',
    ),
    texts.cleanBecauseRefused(summary.refusedByGate),
    texts.answeredWith5xx(summary.serverErrors),
    texts.outsideTheDefinition(coverage.elsewhere.attempts),
  ]
  return (
    <p className={classes.summary}>
      {facts.join(' · ')}
      {isPartial ? texts.notEverythingRecorded : ''}
    </p>
  )
}
