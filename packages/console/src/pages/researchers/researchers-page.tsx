/** The roster: who may come in, until when; paused or resumed one by one, many at once, or all. */
import { Checkbox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Hacker } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useRoster } from '../../api/queries/researcher-queries.ts'
import { useDayCounts } from '../../api/traffic/analytics-queries.ts'
import { AddButton } from '../../design/dialog/dialog-button.tsx'
import { EmptyState } from '../../design/feedback/states.tsx'
import { wholeNumber } from '../../design/number.ts'
import { ListPage } from '../../design/page/list-page.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, PagedTable } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { ResearcherState } from '../../parts/researcher/researcher-state.tsx'
import { BulkActions } from './bulk-actions.tsx'
import { InviteForm } from './invite-form.tsx'

const SEARCH_WAIT_MS = 200

export function ResearchersPage() {
  const [search, setSearch] = useState('')
  const [debounced] = useDebouncedValue(search.trim(), SEARCH_WAIT_MS)
  const choice = useChoice()
  const roster = useRoster(debounced)
  const { rows, data } = roster
  const idsByPage = useMemo(() => data?.pages.map((page) => page.items.map((one) => one.id)) ?? [], [data])
  const countOf = useDayCounts('hacker', idsByPage)
  const may = usePermission('researchers:write')
  return (
    <ListPage
      title="Researchers"
      lead="Everything they send carries their name."
      search={search}
      onSearch={setSearch}
      add={<AddButton may={may} label="Invite" title="Invite a researcher" size="lg" form={InviteForm} />}
    >
      {may && rows.length > 0 ? (
        <BulkActions chosen={choice.chosen} rows={rows} onDone={choice.clear} />
      ) : null}
      <Panel flush>
        <PagedTable
          query={roster}
          empty={
            <EmptyState icon="researchers" title={debounced ? 'Nobody matches' : 'Nobody is invited yet'}>
              A researcher gets a link for the browser and a key for tools; both are theirs alone.
            </EmptyState>
          }
          label="Researchers"
          rowKey={(one) => one.id}
          columns={columnsOf(countOf, may ? choice : null)}
        />
      </Panel>
    </ListPage>
  )
}

interface Choice {
  readonly chosen: ReadonlySet<string>
  readonly toggle: (id: string) => void
  readonly clear: () => void
}

function useChoice(): Choice {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  return { chosen, toggle, clear: () => setChosen(new Set()) }
}

function columnsOf(
  countOf: (researcherId: string) => number,
  choice: Choice | null,
): readonly Column<Hacker>[] {
  const columns: readonly Column<Hacker>[] = [
    {
      head: 'Researcher',
      cell: (one) => (
        <div>
          <Link to="/researchers/$researcherId" params={{ researcherId: one.id }}>
            <strong>{one.name || one.email}</strong>
          </Link>
          {one.name ? <div className="soft">{one.email}</div> : null}
        </div>
      ),
    },
    { head: 'State', cell: (one) => <ResearcherState researcher={one} /> },
    {
      head: 'Until',
      secondary: true,
      cell: (one) => <RelativeTime instant={one.expires || null} otherwise="open-ended" />,
    },
    { head: 'Invited', secondary: true, cell: (one) => <RelativeTime instant={one.creationDate} /> },
    {
      head: 'Last 24 hours',
      align: 'end',
      cell: (one) => (
        <Link to="/traffic" search={{ hacker: [one.id] }}>
          {wholeNumber(countOf(one.id))}
        </Link>
      ),
    },
  ]
  if (!choice) return columns
  const select: Column<Hacker> = {
    head: 'Choose',
    cell: (one) => (
      <Checkbox
        aria-label={`Choose ${one.email}`}
        checked={choice.chosen.has(one.id)}
        onChange={() => choice.toggle(one.id)}
      />
    ),
  }
  return [select, ...columns]
}
