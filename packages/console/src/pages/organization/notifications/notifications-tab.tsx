/** Where the organization is told of what happens, and what was told. */
import type { Destination } from '@sallyport/contract'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { useDestinations } from '../../../api/queries/notification-queries.ts'
import { AddButton } from '../../../design/dialog/dialog-button.tsx'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { Status } from '../../../design/table/status.tsx'
import { type Column, PagedTable } from '../../../design/table/table.tsx'
import { RelativeTime } from '../../../design/time/time.tsx'
import { DeliveriesPanel } from './deliveries-panel.tsx'
import { DestinationActions } from './destination-actions.tsx'
import { AddDestinationForm } from './destination-form.tsx'
import { DESTINATION_STATE_WORDS } from './words.ts'

export function NotificationsTab() {
  const destinations = useDestinations()
  const may = usePermission('notifications:write')
  return (
    <>
      <Panel
        title="Destinations"
        description="Webhooks and e-mail addresses that are notified when a site opens or closes, an origin fails or a new kind of attack appears."
        flush
        actions={
          <AddButton
            may={may}
            label="Add a destination"
            title="Add a destination"
            size="lg"
            form={AddDestinationForm}
          />
        }
      >
        <PagedTable
          query={destinations}
          empty={
            <EmptyState icon="link" title="No destinations yet">
              Add a webhook to notify your own systems, or an e-mail address to notify a person.
            </EmptyState>
          }
          label="Destinations"
          rowKey={({ id }) => id}
          columns={columnsOf(may)}
        />
      </Panel>
      <DeliveriesPanel destinations={destinations.rows} may={may} />
    </>
  )
}

const columnsOf = (may: boolean): readonly Column<Destination>[] => [
  {
    head: 'Destination',
    cell: ({ name, target }) => (
      <div>
        <strong>{name}</strong>
        <div className="soft mono clip">{target}</div>
      </div>
    ),
  },
  {
    head: 'State',
    cell: ({ state, failingSince }) => (
      <div>
        <Status {...DESTINATION_STATE_WORDS[state]} />
        {failingSince ? (
          <div className="soft">
            fails since <RelativeTime instant={failingSince} />
          </div>
        ) : null}
      </div>
    ),
  },
  {
    head: 'Events',
    secondary: true,
    cell: ({ types }) => (types.length === 1 ? '1 kind' : `${types.length} kinds`),
  },
  {
    head: 'Actions',
    align: 'end',
    cell: (destination) => (may ? <DestinationActions destination={destination} /> : null),
  },
]
