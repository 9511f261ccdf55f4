/** Deliveries to whom, and what became of it. */
import { Button } from '@mantine/core'
import {
  DELIVERY_OUTCOMES,
  DELIVERY_STATES,
  type DeliveryState,
  type Destination,
  type NotificationDelivery,
} from '@sallyport/contract'
import { useState } from 'react'
import { useServices } from '../../../api/api.tsx'
import { useDeliveries } from '../../../api/queries/notification-queries.ts'
import { useNotifiedMutation } from '../../../design/feedback/notices.tsx'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { Choice } from '../../../design/form/fields.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { Status } from '../../../design/table/status.tsx'
import { type Column, PagedTable } from '../../../design/table/table.tsx'
import { RelativeTime } from '../../../design/time/time.tsx'
import { DELIVERY_STATE_WORDS, typeWords } from './words.ts'

const STATES = [
  { value: '', label: 'Any state' },
  ...DELIVERY_STATES.map((state) => ({ value: state, label: DELIVERY_STATE_WORDS[state].words })),
] as const

export function DeliveriesPanel(props: {
  readonly destinations: readonly Destination[]
  readonly may: boolean
}) {
  const { destinations, may } = props
  const [destination, setDestination] = useState('')
  const [state, setState] = useState<DeliveryState | ''>('')
  const deliveries = useDeliveries(destination, state)
  const names = new Map(destinations.map(({ id, name }) => [id, name]))
  const choices = [
    { value: '', label: 'All destinations' },
    ...destinations.map(({ id, name }) => ({ value: id, label: name })),
  ]
  return (
    <Panel
      title="Deliveries"
      description="Kept for 30 days. A failed delivery is retried under the same id for more than three days."
      flush
      busy={deliveries.isPlaceholderData}
      actions={
        <>
          <Choice
            aria-label="Destination"
            size="xs"
            choices={choices}
            value={destination}
            onChange={setDestination}
          />
          <Choice aria-label="State" size="xs" choices={STATES} value={state} onChange={setState} />
          <Button size="xs" variant="default" onClick={() => void deliveries.refetch()}>
            Refresh
          </Button>
        </>
      }
    >
      <PagedTable
        query={deliveries}
        empty={<EmptyState icon="clock" title="No deliveries" />}
        label="Deliveries"
        rowKey={({ id }) => id}
        columns={columnsOf(names, may)}
      />
    </Panel>
  )
}

const columnsOf = (
  names: ReadonlyMap<string, string>,
  may: boolean,
): readonly Column<NotificationDelivery>[] => [
  {
    head: 'What',
    cell: ({ type, data, time }) => (
      <div>
        <strong>{typeWords(type)}</strong>
        <div className="soft">
          {subjectOf(data)} <RelativeTime instant={time} />
        </div>
      </div>
    ),
  },
  { head: 'To', secondary: true, cell: ({ destinationId }) => names.get(destinationId) ?? '' },
  {
    head: 'State',
    cell: (delivery) => (
      <div>
        <Status {...DELIVERY_STATE_WORDS[delivery.state]} />
        <div className="soft">{endOf(delivery)}</div>
      </div>
    ),
  },
  {
    head: 'Attempts',
    secondary: true,
    cell: ({ attempts, nextAttempt }) =>
      nextAttempt && attempts > 0 ? (
        <>
          {attempts}, next <RelativeTime instant={nextAttempt} />
        </>
      ) : (
        attempts
      ),
  },
  { head: 'Send again', align: 'end', cell: (delivery) => (may ? <Replay delivery={delivery} /> : null) },
]

function Replay({ delivery }: { readonly delivery: NotificationDelivery }) {
  const { api } = useServices()
  const replay = useNotifiedMutation(() => api.call('deliveriesReplay', { params: { id: delivery.id } }), {
    done: 'It is sent again.',
    queryKey: ['deliveries'],
  })
  return (
    <Button
      variant="default"
      size="xs"
      aria-label={`Send again: ${typeWords(delivery.type)}`}
      loading={replay.isPending}
      onClick={() => replay.mutate()}
    >
      Send again
    </Button>
  )
}

/** How the last attempt ended, where it did not simply succeed. */
function endOf({ outcome, status, state }: NotificationDelivery): string {
  if (state === 'delivered' || outcome === '') return ''
  return status === null ? DELIVERY_OUTCOMES[outcome] : `${DELIVERY_OUTCOMES[outcome]} (${status})`
}

/** The names of what a notification is about. */
function subjectOf(data: NotificationDelivery['data']): string {
  const names = Object.values(data).flatMap((value) => {
    if (typeof value !== 'object' || value === null) return []
    const { name, email, id } = value as Readonly<Record<string, unknown>>
    const text = name || email || id
    return typeof text === 'string' ? [text] : []
  })
  return names.length > 0 ? `${names.join(', ')},` : ''
}
