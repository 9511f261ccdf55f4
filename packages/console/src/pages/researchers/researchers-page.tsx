/** The roster: who may come in, until when; paused or resumed one by one, many at once, or all. */
import { Checkbox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { COMPARED_HACKERS_MAX, type HackerSort, type ListedHacker } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { usePermission } from '../../api/queries/account-queries.ts'
import { type RosterOrder, useRoster } from '../../api/queries/researcher-queries.ts'
import { AddButton } from '../../design/dialog/dialog-button.tsx'
import { EmptyState } from '../../design/feedback/states.tsx'
import { Buttons } from '../../design/form/form.tsx'
import { ListPage } from '../../design/page/list-page.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, type ColumnSort, PagedTable } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { personName } from '../../language/names.ts'
import { wholeNumber } from '../../language/number.ts'
import { ResearcherState } from '../../parts/researcher/researcher-state.tsx'
import { BulkActions } from './bulk-actions.tsx'
import { InviteForm } from './invite-form.tsx'
import { texts } from './texts.ts'

const SEARCH_WAIT_MS = 200

export function ResearchersPage() {
  const [search, setSearch] = useState('')
  const [debounced] = useDebouncedValue(search.trim(), SEARCH_WAIT_MS)
  const choice = useChoice()
  const [order, setOrder] = useState<RosterOrder>({ sort: 'created', order: 'desc' })
  const roster = useRoster(debounced, order)
  const { rows } = roster
  const may = usePermission('researchers:write')
  return (
    <ListPage
      title={texts.researchers}
      lead={texts.researchersLead}
      search={search}
      onSearch={setSearch}
      add={
        <AddButton
          may={may}
          label={texts.invite}
          title={texts.inviteAResearcher}
          size="lg"
          form={InviteForm}
        />
      }
    >
      {rows.length > 0 ? (
        <Buttons>
          {may ? <BulkActions chosen={choice.chosen} onDone={choice.clear} /> : null}
          <CompareButton chosen={choice.chosen} />
        </Buttons>
      ) : null}
      <Panel flush busy={roster.isPlaceholderData}>
        <PagedTable
          query={roster}
          empty={
            <EmptyState
              icon="researchers"
              title={debounced ? texts.noResearchersMatch : texts.noResearchersYet}
            >
              {texts.eachResearcherGets}
            </EmptyState>
          }
          label={texts.researchers}
          rowKey={(one) => one.id}
          columns={columnsOf(choice, { order, onOrder: setOrder })}
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

/** Leads to the chosen ones beside each other, where they are as many as that takes. */
function CompareButton({ chosen }: { readonly chosen: ReadonlySet<string> }) {
  if (chosen.size < 2) return null
  if (chosen.size > COMPARED_HACKERS_MAX)
    return <span className="soft">{texts.atMostCanBeCompared(COMPARED_HACKERS_MAX)}</span>
  return (
    <Link to="/researchers/compare" search={{ hacker: [...chosen] }}>
      {texts.compareSelected(chosen.size)}
    </Link>
  )
}

interface OrderProps {
  readonly order: RosterOrder
  readonly onOrder: (order: RosterOrder) => void
}

/** How a column sorts at first: names from A, what ends soonest, and of the rest the greatest or newest. */
const firstOrder = (sort: HackerSort): RosterOrder => ({
  sort,
  order: sort === 'name' || sort === 'expires' ? 'asc' : 'desc',
})

function sortOf(sort: HackerSort, { order, onOrder }: OrderProps): ColumnSort {
  const isSorted = order.sort === sort
  return {
    direction: isSorted ? (order.order === 'asc' ? 'ascending' : 'descending') : null,
    onSort: () =>
      onOrder(isSorted ? { sort, order: order.order === 'asc' ? 'desc' : 'asc' } : firstOrder(sort)),
  }
}

const columnsOf = (choice: Choice, order: OrderProps): readonly Column<ListedHacker>[] => [
  {
    head: texts.choose,
    cell: (one) => (
      <Checkbox
        aria-label={texts.chooseEmail(one.email)}
        checked={choice.chosen.has(one.id)}
        onChange={() => choice.toggle(one.id)}
      />
    ),
  },
  {
    head: texts.researcher,
    sort: sortOf('name', order),
    cell: (one) => (
      <div>
        <Link to="/researchers/$researcherId" params={{ researcherId: one.id }}>
          <strong>{personName(one)}</strong>
        </Link>
        {personName(one) !== one.email ? <div className="soft">{one.email}</div> : null}
      </div>
    ),
  },
  { head: texts.state, cell: (one) => <ResearcherState researcher={one} /> },
  {
    head: texts.until,
    secondary: true,
    sort: sortOf('expires', order),
    cell: (one) => <RelativeTime instant={one.expires || null} otherwise={texts.openEnded} />,
  },
  {
    head: texts.invited,
    secondary: 'least',
    sort: sortOf('created', order),
    cell: (one) => <RelativeTime instant={one.creationDate} />,
  },
  {
    head: texts.lastSeen,
    secondary: true,
    sort: sortOf('lastSeen', order),
    // What is not known is not never.
    cell: ({ activity }) =>
      activity ? <RelativeTime instant={activity.lastSeen} otherwise={texts.never} /> : <Unknown />,
  },
  {
    head: texts.hits,
    secondary: 'least',
    align: 'end',
    sort: sortOf('firewallHits', order),
    cell: ({ activity }) => (activity ? wholeNumber(activity.firewallHits) : <Unknown />),
  },
  {
    head: texts.last24Hours,
    align: 'end',
    sort: sortOf('requests', order),
    cell: ({ id, activity }) => (
      <Link to="/traffic" search={{ hacker: [id] }}>
        {activity ? wholeNumber(activity.requests) : <Unknown />}
      </Link>
    ),
  },
]

const Unknown = () => <span title={texts.notAvailableRightNow}>–</span>
