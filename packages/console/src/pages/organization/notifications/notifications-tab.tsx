/** Where the organization is told of what happens, and what was told. */
import type { Destination } from '@sallyport/contract'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { useDestinations } from '../../../api/queries/notification-queries.ts'
import { AddButton } from '../../../design/dialog/dialog-button.tsx'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { Status } from '../../../design/table/status.tsx'
import { type Column, PagedTable } from '../../../design/table/table.tsx'
import { useTime } from '../../../design/time/time.tsx'
import { DeliveriesPanel } from './deliveries-panel.tsx'
import { DestinationActions } from './destination-actions.tsx'
import { AddDestinationForm } from './destination-form.tsx'
import { texts } from './texts.ts'
import { DESTINATION_STATE_WORDS } from './words.ts'

export function NotificationsTab() {
  const destinations = useDestinations()
  const may = usePermission('notifications:write')
  return (
    <>
      <Panel
        title={texts.destinations}
        description={texts.destinationsHint}
        flush
        actions={<AddButton may={may} label={texts.addADestination} size="lg" form={AddDestinationForm} />}
      >
        <PagedTable
          query={destinations}
          empty={
            <EmptyState icon="link" title={texts.noDestinationsYet}>
              {texts.noDestinationsYetBody}
            </EmptyState>
          }
          label={texts.destinations}
          rowKey={({ id }) => id}
          columns={columnsOf(may)}
        />
      </Panel>
      <DeliveriesPanel destinations={destinations.rows} may={may} />
    </>
  )
}

/** Relative to now, since would want another word. */
function FailingSince({ instant }: { readonly instant: string }) {
  const time = useTime()
  return (
    <div className="soft">{texts.failingSince(<time dateTime={instant}>{time.short(instant)}</time>)}</div>
  )
}

const columnsOf = (may: boolean): readonly Column<Destination>[] => [
  {
    head: texts.destination,
    cell: ({ name, target }) => (
      <div>
        <strong>{name}</strong>
        <div className="soft mono clip">{target}</div>
      </div>
    ),
  },
  {
    head: texts.state,
    cell: ({ state, failingSince }) => (
      <div>
        <Status {...DESTINATION_STATE_WORDS[state]} />
        {failingSince ? <FailingSince instant={failingSince} /> : null}
      </div>
    ),
  },
  {
    head: texts.events,
    secondary: true,
    cell: ({ types }) => texts.kinds(types.length),
  },
  {
    head: texts.actions,
    align: 'end',
    cell: (destination) => (may ? <DestinationActions destination={destination} /> : null),
  },
]
