/** The attempts of one cell: who, in which parameter, how often, what became of them. What was sent is shown as text only. */
import { Drawer } from '@mantine/core'
import { attackWords, isRefusedByGate, onlyValue } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import {
  type CellName,
  type CoverageAttempt,
  type CoverageScope,
  useCoverageAttempts,
} from '../../api/queries/coverage-queries.ts'
import { useResearcherNames } from '../../api/queries/researcher-queries.ts'
import { useFocusReturn } from '../../design/dialog/use-focus-return.ts'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { isolated } from '../../design/isolated.ts'
import { Status } from '../../design/table/status.tsx'
import { type Column, Table } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { wholeNumber } from '../../language/number.ts'
import classes from './coverage.module.css'
import { OpenWindow } from './open-window.tsx'
import { texts } from './texts.ts'
import { shownVerdict } from './verdict-words.ts'

export function AttemptsDrawer(props: {
  readonly siteId: string
  readonly scope: CoverageScope
  readonly cell: CellName
  readonly onClose: () => void
}) {
  useFocusReturn()
  const { siteId, scope, cell } = props
  const nameOf = useResearcherNames()
  const attempts = useCoverageAttempts(siteId, scope, cell)
  const rows = attempts.data?.rows ?? []
  const isRefused = rows.length > 0 && rows.every(({ verdict }) => isRefusedByGate(verdict))
  return (
    <Drawer
      opened
      onClose={props.onClose}
      position="right"
      size="min(64rem, 100vw)"
      title={texts.on(attackWords(cell.class), `${cell.method} ${cell.template}`)}
    >
      <QueryState query={attempts} />
      {attempts.data && rows.length === 0 ? (
        <EmptyState icon="firewall" title={texts.neverTriedInThisWindow} />
      ) : null}
      {isRefused ? <OpenWindow siteId={siteId} cell={cell} rows={rows} /> : null}
      {rows.length > 0 ? (
        <>
          <p className={classes.window}>
            <Link
              to="/traffic"
              search={{
                gte: scope.gte,
                ...(scope.lte ? { lte: scope.lte } : {}),
                site: [siteId],
                method: [onlyValue(cell.method)],
                route: attempts.data?.routes.map(onlyValue),
                firewallClass: [onlyValue(cell.class)],
                ...(scope.hacker ? { hacker: scope.hacker } : {}),
              }}
            >
              {texts.theseRequestsInTheTraffic}
            </Link>
          </p>
          <Table
            label={texts.attempts}
            columns={columnsOf(nameOf)}
            rows={rows}
            rowKey={(row) => JSON.stringify(row)}
          />
        </>
      ) : null}
    </Drawer>
  )
}

const columnsOf = (nameOf: (id: string) => string): readonly Column<CoverageAttempt>[] => [
  { head: texts.researcher, cell: ({ hacker }) => isolated(nameOf(hacker)) },
  {
    head: texts.where,
    cell: ({ part, parameter }) => (
      <>
        {part} {parameter ? <code>{isolated(parameter)}</code> : null}
      </>
    ),
  },
  {
    head: texts.whatBecameOf,
    cell: ({ verdict, status, by }) => {
      const { words, tone } = shownVerdict(verdict)
      return (
        <Status tone={tone}>
          {words}
          {status > 0 ? ` (${status})` : ''} {by ? <code>{isolated(by)}</code> : null}
        </Status>
      )
    },
  },
  { head: texts.attempts, align: 'end', cell: ({ attempts }) => wholeNumber(attempts) },
  { head: texts.first, secondary: true, cell: ({ firstSeen }) => <RelativeTime instant={firstSeen} /> },
  { head: texts.last, secondary: true, cell: ({ lastSeen }) => <RelativeTime instant={lastSeen} /> },
]
