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
import { RelativeTime, useNow } from '../../../design/time/time.tsx'
import { texts } from './texts.ts'
import { DELIVERY_STATE_WORDS, typeWords } from './words.ts'

const STATES = [
  { value: '', label: texts.anyState },
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
    { value: '', label: texts.allDestinations },
    ...destinations.map(({ id, name }) => ({ value: id, label: name })),
  ]
  return (
    <Panel
      title={texts.deliveries}
      description={texts.deliveriesHint}
      flush
      busy={deliveries.isPlaceholderData}
      actions={
        <>
          <Choice
            aria-label={texts.destination}
            size="xs"
            choices={choices}
            value={destination}
            onChange={setDestination}
          />
          <Choice aria-label={texts.state} size="xs" choices={STATES} value={state} onChange={setState} />
          <Button size="xs" variant="default" onClick={() => void deliveries.refetch()}>
            {texts.refresh}
          </Button>
        </>
      }
    >
      <PagedTable
        query={deliveries}
        empty={<EmptyState icon="clock" title={texts.noDeliveries} />}
        label={texts.deliveries}
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
    head: texts.what,
    cell: ({ type, data, time }) => (
      <div>
        <strong>{typeWords(type)}</strong>
        <div className="soft">
          {subjectOf(data)} <RelativeTime instant={time} />
        </div>
      </div>
    ),
  },
  { head: texts.to, secondary: true, cell: ({ destinationId }) => names.get(destinationId) ?? '' },
  {
    head: texts.state,
    cell: (delivery) => (
      <div>
        <Status {...DELIVERY_STATE_WORDS[delivery.state]} />
        <div className="soft">{endOf(delivery)}</div>
      </div>
    ),
  },
  {
    head: texts.attempts,
    secondary: true,
    cell: (delivery) => <Attempts delivery={delivery} />,
  },
  { head: texts.sendAgain, align: 'end', cell: (delivery) => (may ? <Replay delivery={delivery} /> : null) },
]

const MINUTE_MS = 60_000

/** How many there were, and when the next is: of what is about to be, "just now" would say that it was. */
function Attempts({ delivery: { attempts, nextAttempt } }: { readonly delivery: NotificationDelivery }) {
  const now = useNow(MINUTE_MS / 2)
  if (!nextAttempt || attempts === 0) return attempts
  if (Date.parse(nextAttempt) - now < MINUTE_MS) return texts.nextSoon(attempts)
  return texts.next(attempts, <RelativeTime instant={nextAttempt} />)
}

function Replay({ delivery }: { readonly delivery: NotificationDelivery }) {
  const { api } = useServices()
  const replay = useNotifiedMutation(() => api.call('deliveriesReplay', { params: { id: delivery.id } }), {
    done: texts.itIsSentAgain,
    queryKey: ['deliveries'],
  })
  return (
    <Button
      variant="default"
      size="xs"
      aria-label={texts.sendAgainType(typeWords(delivery.type))}
      loading={replay.isPending}
      onClick={() => replay.mutate()}
    >
      {texts.sendAgain}
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
