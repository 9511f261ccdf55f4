/** The roster: who may come in, until when; paused or resumed one by one, many at once, or all. */
import { Button, Checkbox, Modal, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Hacker } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useMay } from '../../api/queries/account-queries.ts'
import { useRoster } from '../../api/queries/researcher-queries.ts'
import { useDayCounts } from '../../api/traffic/analytics-queries.ts'
import { EmptyState, ErrorState, LoadingState } from '../../design/feedback/states.tsx'
import { Icon } from '../../design/icon.tsx'
import { wholeNumber } from '../../design/number.ts'
import { Page, Panel } from '../../design/page/panel.tsx'
import { MoreButton } from '../../design/table/more-button.tsx'
import { type Column, Table } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { ResearcherState } from '../../parts/researcher/researcher-state.tsx'
import { BulkActions } from './bulk-actions.tsx'
import { InviteForm } from './invite-form.tsx'

const SEARCH_WAIT_MS = 200

export function ResearchersPage() {
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [inviting, setInviting] = useState(false)
  const [settled] = useDebouncedValue(search.trim(), SEARCH_WAIT_MS)
  const researchers = useRoster(settled)
  const { rows, data } = researchers
  const idsByPage = useMemo(() => data?.pages.map((page) => page.items.map((one) => one.id)) ?? [], [data])
  const countOf = useDayCounts('hacker', idsByPage)
  const may = useMay('researchers:write')
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  return (
    <Page
      title="Researchers"
      lead="Everything they send carries their name."
      actions={
        <>
          <TextInput
            type="search"
            size="xs"
            aria-label="Search researchers"
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          {may ? (
            <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setInviting(true)}>
              Invite
            </Button>
          ) : null}
        </>
      }
    >
      {may && rows.length > 0 ? (
        <BulkActions chosen={chosen} rows={rows} onDone={() => setChosen(new Set())} />
      ) : null}
      <Panel flush>
        {researchers.isPending ? <LoadingState /> : null}
        {researchers.error ? (
          <ErrorState error={researchers.error} onRetry={() => void researchers.refetch()} />
        ) : null}
        {researchers.data && rows.length === 0 ? (
          <EmptyState icon="researchers" title={settled ? 'Nobody matches' : 'Nobody is invited yet'}>
            A researcher gets a link for the browser and a key for tools; both are theirs alone.
          </EmptyState>
        ) : null}
        {rows.length > 0 ? (
          <Table
            label="Researchers"
            rows={rows}
            rowKey={(one) => one.id}
            columns={columnsOf(countOf, may ? { chosen, toggle } : null)}
          />
        ) : null}
        <MoreButton list={researchers} />
      </Panel>
      <Modal opened={inviting} onClose={() => setInviting(false)} title="Invite a researcher" size="lg">
        <InviteForm onDone={() => setInviting(false)} />
      </Modal>
    </Page>
  )
}

interface Choice {
  readonly chosen: ReadonlySet<string>
  readonly toggle: (id: string) => void
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
      cell: (one) =>
        one.expires ? <RelativeTime instant={one.expires} /> : <span className="soft">open-ended</span>,
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
