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
import { useFold } from '../../design/table/fold.tsx'
import { Status } from '../../design/table/status.tsx'
import { type Column, PagedTable } from '../../design/table/table.tsx'
import { RelativeTime, useTime } from '../../design/time/time.tsx'
import { EnrolmentForm, RevokeGateway } from './enrolment.tsx'
import { texts } from './texts.ts'

const CREDENTIALS = {
  own: texts.itsOwnCredential,
  shared: texts.theSharedToken,
  revoked: 'nothing (revoked)',
} as const

const STATES = {
  serving: { tone: 'good', words: texts.serving },
  silent: { tone: 'warn', words: texts.silent },
  over: { tone: 'off', words: texts.leaseExpired },
} as const

/** More would push the table out of sight. */
const UNCONFIRMED_SHOWN = 5

export function GatewaysPage() {
  const gateways = useGateways()
  const mayForget = usePermission('gateways:forget')
  const mayEnroll = usePermission('gateways:enroll')
  return (
    <Page
      title={texts.gateways}
      lead={texts.gatewaysLead}
      actions={<AddButton may={mayEnroll} label={texts.enrolAGateway} size="lg" form={EnrolmentForm} />}
    >
      <Unconfirmed gateways={gateways.rows} />
      <Panel flush>
        <PagedTable
          query={gateways}
          rowKey={({ id }) => id}
          label={texts.gateways}
          columns={mayForget || mayEnroll ? [...COLUMNS, changesOf(mayForget, mayEnroll)] : COLUMNS}
          empty={
            <EmptyState icon="gateways" title={texts.noGatewayYet}>
              {texts.noGatewayYetBody}
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
  const folded = useFold(away, UNCONFIRMED_SHOWN)
  if (away.length === 0) return null
  return (
    <Callout tone="warn" role="status">
      <strong>{texts.yourLastChangeMay}</strong>
      {folded.shown.map((gateway) => (
        <span key={gateway.id}>{texts.isNotHeard(gateway.id, <ServesUntil gateway={gateway} />)}</span>
      ))}
      {folded.button ? <div>{folded.button}</div> : null}
    </Callout>
  )
}

/** "until 14:05:09", "for ever". */
function ServesUntil({ gateway: { mayServeUntil } }: { readonly gateway: ListedGateway }) {
  const time = useTime()
  return mayServeUntil === null ? texts.forEver : texts.until(time.full(mayServeUntil))
}

const COLUMNS: readonly Column<ListedGateway>[] = [
  {
    head: texts.gateway,
    cell: ({ id, version }) => (
      <div>
        <strong>{id}</strong>
        <div className="soft mono">{version || texts.versionUnknown}</div>
      </div>
    ),
  },
  { head: texts.state, cell: ({ state }) => <Status {...STATES[state]} /> },
  {
    head: texts.yourLastChange,
    cell: ({ isConfirmed }) =>
      isConfirmed ? (
        <Status tone="good">{texts.confirmed}</Status>
      ) : (
        <Status tone="busy">{texts.notConfirmed}</Status>
      ),
  },
  {
    head: texts.revision,
    secondary: 'least',
    cell: ({ revision, lag }) => (
      <div className="tabular">
        {revision}
        {lag > 0 ? <div className="soft">{texts.behind(lag)}</div> : null}
      </div>
    ),
  },
  { head: texts.lastSeen, secondary: true, cell: ({ lastSeen }) => <RelativeTime instant={lastSeen} /> },
  { head: texts.mayServe, secondary: true, cell: (gateway) => <Lease gateway={gateway} /> },
  { head: texts.authenticatesWith, secondary: 'least', cell: ({ credential }) => CREDENTIALS[credential] },
  { head: texts.yourOrigins, secondary: true, cell: ({ origins }) => originWords(origins) },
]

function Lease({ gateway }: { readonly gateway: ListedGateway }) {
  if (gateway.state === 'over') return <span className="soft">{texts.nothing}</span>
  return (
    <div>
      <ServesUntil gateway={gateway} />
      {gateway.state === 'serving' ? <div className="soft">{texts.renewedAutomatically}</div> : null}
    </div>
  )
}

function originWords({ healthy, failing, open }: ListedGateway['origins']): string {
  const counted = [texts.healthy(healthy), texts.failing(failing), texts.outOfReach(open)]
  return counted.filter((words) => !words.startsWith('0 ')).join(', ') || texts.noneTried
}

const changesOf = (mayForget: boolean, mayEnroll: boolean): Column<ListedGateway> => ({
  head: texts.actions,
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
    notices.done(texts.isForgotten(gateway.id))
  }
  return (
    <ConfirmButton
      onConfirm={confirm}
      action={texts.forgetGateway}
      title={texts.forgetThisGateway}
      button={{ 'aria-label': texts.forgetOf(gateway.id), variant: 'default' }}
      label={texts.forget}
    >
      {texts.forgetThisGatewayBody(
        gateway.state === 'over'
          ? texts.theLeaseOf(<strong>{gateway.id}</strong>)
          : texts.youSayThatDoes(<strong>{gateway.id}</strong>, <ServesUntil gateway={gateway} />),
      )}
    </ConfirmButton>
  )
}
