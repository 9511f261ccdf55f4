/** The gateways: what each runs, until when it may serve, and the word that one of them is gone. */
import type { ListedGateway } from '@sallyport/contract'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useGatewayForgetting, useGateways } from '../../api/queries/gateway-queries.ts'
import { ConfirmButton } from '../../design/dialog/confirm-dialog.tsx'
import { AddButton } from '../../design/dialog/dialog-button.tsx'
import { Callout } from '../../design/feedback/callout.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { EmptyState } from '../../design/feedback/states.tsx'
import { Buttons } from '../../design/form/form.tsx'
import { Page, Panel } from '../../design/page/panel.tsx'
import { Status } from '../../design/table/status.tsx'
import { type Column, QueryTable } from '../../design/table/table.tsx'
import { RelativeTime, useTime } from '../../design/time/time.tsx'
import { EnrolmentForm, RevokeGateway } from './enrolment.tsx'

const CREDENTIALS = {
  own: 'its own credential',
  shared: 'the shared token',
  revoked: 'nothing (revoked)',
} as const

const STATES = {
  serving: { tone: 'good', words: 'Serving' },
  silent: { tone: 'warn', words: 'Silent' },
  over: { tone: 'off', words: 'Lease expired' },
} as const

export function GatewaysPage() {
  const gateways = useGateways()
  const mayForget = usePermission('gateways:forget')
  const mayEnroll = usePermission('gateways:enroll')
  const rows = gateways.data?.items ?? []
  return (
    <Page
      title="Gateways"
      lead="Which settings each gateway runs, and how long it may serve your sites without hearing from the control plane."
    >
      <Unconfirmed gateways={rows} />
      <Panel
        flush
        actions={
          <AddButton
            may={mayEnroll}
            label="Enrol a gateway"
            title="Enrol a gateway"
            size="lg"
            form={EnrolmentForm}
          />
        }
      >
        <QueryTable
          query={gateways}
          rows={rows}
          rowKey={({ id }) => id}
          label="Gateways"
          columns={mayForget || mayEnroll ? [...COLUMNS, changesOf(mayForget, mayEnroll)] : COLUMNS}
          empty={
            <EmptyState icon="gateways" title="No gateway yet">
              A gateway is listed here as soon as it has reached the control plane.
            </EmptyState>
          }
        />
      </Panel>
    </Page>
  )
}

/** Says that what was closed may be served all the same, and by which gateway. */
function Unconfirmed({ gateways }: { readonly gateways: readonly ListedGateway[] }) {
  const away = gateways.filter(({ state, isConfirmed }) => state === 'silent' && !isConfirmed)
  if (away.length === 0) return null
  return (
    <Callout tone="warn" role="status">
      <strong>Your last change may not be in force everywhere yet.</strong>
      {away.map((gateway) => (
        <span key={gateway.id}>
          {gateway.id} is not heard of and has not confirmed it. If it still runs, it may serve your sites as
          they were <ServesUntil gateway={gateway} />.
        </span>
      ))}
    </Callout>
  )
}

/** "until 14:05:09", "for ever". */
function ServesUntil({ gateway: { mayServeUntil } }: { readonly gateway: ListedGateway }) {
  const time = useTime()
  return mayServeUntil === null ? 'for ever' : `until ${time.full(mayServeUntil)}`
}

const COLUMNS: readonly Column<ListedGateway>[] = [
  {
    head: 'Gateway',
    cell: ({ id, version }) => (
      <div>
        <strong>{id}</strong>
        <div className="soft mono">{version || 'version unknown'}</div>
      </div>
    ),
  },
  { head: 'State', cell: ({ state }) => <Status {...STATES[state]} /> },
  {
    head: 'Your last change',
    cell: ({ isConfirmed }) =>
      isConfirmed ? <Status tone="good">Confirmed</Status> : <Status tone="busy">Not confirmed</Status>,
  },
  {
    head: 'Revision',
    secondary: true,
    cell: ({ revision, lag }) => (
      <div className="tabular">
        {revision}
        {lag > 0 ? <div className="soft">{lag} behind</div> : null}
      </div>
    ),
  },
  { head: 'Last seen', secondary: true, cell: ({ lastSeen }) => <RelativeTime instant={lastSeen} /> },
  { head: 'May serve', secondary: true, cell: (gateway) => <Lease gateway={gateway} /> },
  { head: 'Authenticates with', secondary: true, cell: ({ credential }) => CREDENTIALS[credential] },
  { head: 'Your origins', secondary: true, cell: ({ origins }) => originWords(origins) },
]

function Lease({ gateway }: { readonly gateway: ListedGateway }) {
  if (gateway.state === 'over') return <span className="soft">nothing</span>
  return (
    <div>
      <ServesUntil gateway={gateway} />
      {gateway.state === 'serving' ? <div className="soft">renewed automatically</div> : null}
    </div>
  )
}

function originWords({ healthy, failing, open }: ListedGateway['origins']): string {
  const counted = [`${healthy} healthy`, `${failing} failing`, `${open} out of reach`]
  return counted.filter((words) => !words.startsWith('0 ')).join(', ') || 'none tried'
}

const changesOf = (mayForget: boolean, mayEnroll: boolean): Column<ListedGateway> => ({
  head: 'Actions',
  align: 'end',
  cell: (gateway) => (
    <Buttons>
      {mayEnroll && gateway.credential === 'own' ? <RevokeGateway gateway={gateway} /> : null}
      {mayForget && gateway.state !== 'serving' ? <Forget gateway={gateway} /> : null}
    </Buttons>
  ),
})

function Forget({ gateway }: { readonly gateway: ListedGateway }) {
  const notices = useNotices()
  const forget = useGatewayForgetting()
  const confirm = async () => {
    await forget.mutateAsync(gateway.id)
    notices.done(`${gateway.id} is forgotten.`)
  }
  return (
    <ConfirmButton
      onConfirm={confirm}
      action="Forget gateway"
      title="Forget this gateway?"
      button={{ 'aria-label': `Forget ${gateway.id}`, variant: 'default' }}
      label="Forget"
    >
      {gateway.state === 'over' ? (
        <>
          The lease of <strong>{gateway.id}</strong> is over: it serves nothing of yours.
        </>
      ) : (
        <>
          You say that <strong>{gateway.id}</strong> does not run any more. Nothing is sent to it: if it still
          runs, it may serve your sites as they were <ServesUntil gateway={gateway} />, while the console
          calls them closed.
        </>
      )}{' '}
      If it reports again, it is listed again. This is written to the audit log.
    </ConfirmButton>
  )
}
