/** Which operations of a site this researcher tried with which classes of attack, and how far they came. */
import type { HackerProfile } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type CoverageOperation, useCoverage } from '../../../api/queries/coverage-queries.ts'
import type { TimeWindow } from '../../../api/traffic/request-filters.ts'
import { EmptyState, QueryState } from '../../../design/feedback/states.tsx'
import { useNear } from '../../../design/page/near.ts'
import { Panel } from '../../../design/page/panel.tsx'
import { useFold } from '../../../design/table/fold.tsx'
import { Status, Tag } from '../../../design/table/status.tsx'
import { type Column, Table } from '../../../design/table/table.tsx'
import { wholeNumber } from '../../../language/number.ts'
import { AttackName } from '../../../parts/attack/attack-name.tsx'
import { cellWords, shownVerdict } from '../../../parts/coverage/verdict-words.ts'
import { SiteChoice } from '../../../parts/site/site-choice.tsx'
import classes from './story.module.css'
import { texts } from './texts.ts'

const OPERATIONS_SHOWN = 30

export function CoveragePanel(props: {
  readonly profile: HackerProfile
  readonly siteNames: ReadonlyMap<string, string>
  readonly window: TimeWindow
}) {
  const known = props.profile.sites.flatMap(({ site: id }) => {
    const gatedName = props.siteNames.get(id)
    return gatedName === undefined ? [] : { id, gatedName }
  })
  const [chosen, setChosen] = useState('')
  const site = known.find(({ id }) => id === chosen) ?? known[0]
  if (!site) return null
  return (
    <SiteCoverage
      key={site.id}
      siteId={site.id}
      hacker={props.profile.hacker}
      window={props.window}
      choice={<SiteChoice label={texts.siteOfTheCoverage} sites={known} site={site} onChange={setChosen} />}
    />
  )
}

function SiteCoverage(props: {
  readonly siteId: string
  readonly hacker: string
  readonly window: TimeWindow
  readonly choice: ReactNode
}) {
  const { siteId, hacker, window } = props
  const { gte = 'now-24h', lte } = window
  const [near, isNear] = useNear()
  const coverage = useCoverage(siteId, { gte, ...(lte ? { lte } : {}), hacker: [hacker] }, isNear)
  const tried = coverage.data?.operations.filter(({ cells }) => cells.length > 0) ?? []
  const { shown, button } = useFold(
    tried.toSorted((left, right) => right.cells.length - left.cells.length),
    OPERATIONS_SHOWN,
  )
  const { summary, isPartial } = coverage.data ?? {}
  return (
    <Panel
      title={texts.coverage}
      description={
        summary
          ? texts.coverageHint({
              tried: tried.length,
              operations: summary.operations,
              triedCells: summary.triedCells,
              cells: summary.cells,
              isPartial,
            })
          : undefined
      }
      flush
      busy={coverage.isPlaceholderData}
      actions={
        <>
          {props.choice}
          <Link to="/sites/$siteId/$tab" params={{ siteId, tab: 'coverage' }}>
            {texts.fullMap}
          </Link>
        </>
      }
    >
      <div ref={near}>
        <QueryState query={coverage} />
      </div>
      {coverage.data && tried.length === 0 ? (
        <EmptyState icon="firewall" title={texts.noAttacksOnKnown} />
      ) : null}
      {shown.length > 0 ? (
        <Table
          label={texts.operationsThisResearcherTried}
          rows={shown}
          rowKey={({ method, template }) => `${method} ${template}`}
          columns={COLUMNS}
        />
      ) : null}
      {button ? <p className={classes.note}>{button}</p> : null}
    </Panel>
  )
}

const COLUMNS: readonly Column<CoverageOperation>[] = [
  {
    head: texts.operation,
    cell: ({ method, template }) => (
      <span className={classes.step}>
        <Tag>{method}</Tag>
        <code>{template}</code>
      </span>
    ),
  },
  {
    head: texts.triedWith,
    cell: ({ cells }) => (
      <ul className={classes.cells}>
        {cells.map((cell) => (
          <li key={cell.class} title={cellWords(cell.verdict, cell.attempts)}>
            <Status tone={shownVerdict(cell.verdict).tone}>
              <AttackName attackClass={cell.class} /> {wholeNumber(cell.attempts)}
              {shownVerdict(cell.verdict).mark}
              <span className="visually-hidden"> {shownVerdict(cell.verdict).words}</span>
            </Status>
          </li>
        ))}
      </ul>
    ),
  },
]
