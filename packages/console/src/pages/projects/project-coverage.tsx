/** The coverage of a project: the map of one of its sites in the window of the project, of what its items are tied to or of all. */
import { Switch } from '@mantine/core'
import { isRefusedByGate, type Project, type ProjectCheck, tiedKey } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { type CellName, type Coverage, useCoverage } from '../../api/queries/coverage-queries.ts'
import { useProjectWindow } from '../../api/queries/project-queries.ts'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { Segments } from '../../design/form/fields.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { useTime } from '../../design/time/time.tsx'
import { AttemptsDrawer } from '../../parts/coverage/attempts-drawer.tsx'
import { CoverageMapWithLegend } from '../../parts/coverage/coverage-table.tsx'
import { SiteChoice } from '../../parts/site/site-choice.tsx'
import { EvidenceButton } from './evidence-button.tsx'
import classes from './projects.module.css'
import { texts } from './texts.ts'

const SHOWN = [
  { value: 'items', label: texts.ordered },
  { value: 'all', label: texts.allOperations },
] as const

export function ProjectCoverage({ project }: { readonly project: Project }) {
  const asked = useProjectWindow(project.id ?? '')
  const [chosen, setChosen] = useState('')
  if (!asked.data)
    return (
      <Panel title={texts.coverage}>
        <QueryState query={asked} />
      </Panel>
    )
  const { items, gte, lte, next } = asked.data
  const sites = tiedSites(items)
  const site = sites.find(({ id }) => id === chosen) ?? sites[0]
  if (!site)
    return (
      <Panel title={texts.coverage}>
        <EmptyState
          icon="projects"
          title={texts.noItemsAreTied}
          action={
            <Link to="/projects/$projectId/$tab" params={{ projectId: project.id ?? '', tab: 'items' }}>
              {texts.toTheItems}
            </Link>
          }
        >
          {texts.noItemsAreTiedBody}
        </EmptyState>
      </Panel>
    )
  return (
    <SiteMap
      key={site.id}
      siteId={site.id}
      ties={items.flatMap(({ ties }) => ties.filter(({ siteId }) => siteId === site.id))}
      scope={{ gte, lte }}
      newest={next === null ? 0 : items.length}
      evidence={<EvidenceButton projectId={project.id ?? ''} siteId={site.id} scope={{ gte, lte }} />}
      choice={<SiteChoice label={texts.site} sites={sites} site={site} onChange={setChosen} />}
    />
  )
}

/** The sites that are there, in the order in which items are tied to them. */
function tiedSites(items: readonly ProjectCheck[]) {
  const names = new Map<string, string>()
  for (const { ties } of items)
    for (const { siteId, gatedName, status } of ties)
      if (status !== 'site_removed') names.set(siteId, gatedName)
  return [...names].map(([id, gatedName]) => ({ id, gatedName }))
}

function SiteMap(props: {
  readonly siteId: string
  readonly ties: ProjectCheck['ties']
  readonly scope: { readonly gte: string; readonly lte: string }
  /** How many items the ties are of, where that is not all; otherwise 0. */
  readonly newest: number
  readonly choice: ReactNode
  readonly evidence: ReactNode
}) {
  const { siteId, ties, scope } = props
  const time = useTime()
  const [shown, setShown] = useState<(typeof SHOWN)[number]['value']>('items')
  const [untestedFirst, setUntestedFirst] = useState(false)
  const [cell, setCell] = useState<CellName | null>(null)
  const coverage = useCoverage(siteId, scope)
  const isTied = useMemo(() => tiedTo(ties), [ties])
  const operations = coverage.data?.operations.filter((operation) => shown === 'all' || isTied(operation))
  return (
    <Panel
      title={texts.coverage}
      description={texts.attemptsFromTo(
        time.full(scope.gte),
        time.full(scope.lte),
        props.newest > 0 ? texts.coverageHint(props.newest) : '',
      )}
      flush
      busy={coverage.isPlaceholderData}
      actions={
        <>
          {props.choice}
          {props.evidence}
        </>
      }
    >
      <QueryState query={coverage} />
      {coverage.data && operations ? (
        <>
          <div className={classes.tools}>
            <Segments
              label={texts.operations}
              choices={SHOWN}
              value={shown}
              disabled={false}
              onChange={setShown}
            />
            <Switch
              label={texts.untestedFirst}
              checked={untestedFirst}
              onChange={(event) => setUntestedFirst(event.currentTarget.checked)}
            />
            <span className="soft">{summaryOf(operations, coverage.data.isPartial)}</span>
          </div>
          {operations.length === 0 ? (
            <EmptyState icon="sites" title={texts.noneOfThem} />
          ) : (
            <CoverageMapWithLegend
              shown={shown}
              coverage={{ ...coverage.data, operations }}
              order={untestedFirst ? 'untested' : 'definition'}
              onCell={setCell}
            />
          )}
        </>
      ) : null}
      {cell ? (
        <AttemptsDrawer siteId={siteId} scope={scope} cell={cell} onClose={() => setCell(null)} />
      ) : null}
    </Panel>
  )
}

function summaryOf(operations: Coverage['operations'], isPartial: boolean): string {
  const untested = operations.filter(({ verdict }) => verdict === null).length
  const refused = operations.filter(({ verdict }) => verdict !== null && isRefusedByGate(verdict)).length
  const failing = operations.filter(({ verdict }) => verdict === 'server_error').length
  const facts = [
    texts.countOfOperations(operations.length),
    texts.untested(untested),
    texts.cleanBecauseRefused(refused),
    texts.answered5xx(failing),
  ]
  return facts.join(' · ') + (isPartial ? texts.notEverythingRecordedIsShown : '')
}

/** Says of an operation whether a tie means it; of many ties and operations each is looked at once. */
function tiedTo(ties: ProjectCheck['ties']) {
  const isWholeSite = ties.some(({ template }) => template === undefined)
  const keys = new Set(
    ties.flatMap(({ method, template }) =>
      method === undefined || template === undefined ? [] : tiedKey({ method, template }),
    ),
  )
  return (operation: { readonly method: string; readonly template: string }): boolean =>
    isWholeSite || keys.has(tiedKey(operation))
}
