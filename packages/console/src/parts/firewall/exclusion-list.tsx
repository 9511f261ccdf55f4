/** Exclusions of a site: what is not to count as an attack. */
import { ActionIcon, Button } from '@mantine/core'
import type { FirewallExclusion } from '@sallyport/contract'
import { type ReactNode, useState } from 'react'
import { useMay } from '../../api/queries/account-queries.ts'
import { useFirewallChange, withoutListChange } from '../../api/queries/firewall-queries.ts'
import { useNotices } from '../../design/feedback/notices.tsx'
import { EmptyState } from '../../design/feedback/states.tsx'
import { Icon } from '../../design/icon.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, Table } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { ExclusionDialog } from './exclusion-dialog.tsx'

export function ExclusionList(props: {
  readonly siteId: string
  readonly exclusions: readonly FirewallExclusion[]
  /** Chooses another site's. */
  readonly choice?: ReactNode
}) {
  const may = useMay('firewall:write')
  const notices = useNotices()
  const change = useFirewallChange(props.siteId)
  const [adding, setAdding] = useState(false)
  const remove = ({ id }: FirewallExclusion) =>
    notices.whenDone(
      change.mutateAsync((now) => ({ ...now, exclusions: now.exclusions.filter((one) => one.id !== id) })),
      'The exclusion is removed.',
      (made) => change.mutateAsync(withoutListChange(made)),
    )
  const columns: readonly Column<FirewallExclusion>[] = [
    { head: 'Rule', cell: (one) => <Part value={one.rule} otherwise="every rule" /> },
    { head: 'Path', cell: (one) => <Part value={one.pathPrefix} otherwise="everywhere" /> },
    { head: 'Part', secondary: true, cell: (one) => <Part value={one.part} otherwise="any" /> },
    { head: 'Parameter', cell: (one) => <Part value={one.parameter} otherwise="any" /> },
    { head: 'Note', secondary: true, cell: (one) => one.note },
    {
      head: 'Until',
      secondary: true,
      cell: (one) =>
        one.expires ? <RelativeTime instant={one.expires} /> : <span className="soft">removed</span>,
    },
    {
      head: 'Remove',
      align: 'end',
      cell: (one) =>
        may ? (
          <ActionIcon aria-label="Remove this exclusion" onClick={() => remove(one)}>
            <Icon name="trash" />
          </ActionIcon>
        ) : null,
    },
  ]
  return (
    <Panel
      title="Exclusions"
      description="What is not an attack here. Matches that fall under one are still recorded, and refuse nothing."
      flush
      actions={
        <>
          {props.choice}
          {may ? (
            <Button variant="default" onClick={() => setAdding(true)}>
              Add an exclusion
            </Button>
          ) : null}
        </>
      }
    >
      {props.exclusions.length === 0 ? (
        <EmptyState icon="firewall" title="No exclusion">
          Open a request that matched wrongly and choose "Make an exclusion": it proposes the narrowest one.
        </EmptyState>
      ) : (
        <Table label="Exclusions" columns={columns} rows={props.exclusions} rowKey={(one) => one.id} />
      )}
      <ExclusionDialog opened={adding} siteId={props.siteId} onClose={() => setAdding(false)} />
    </Panel>
  )
}

function Part({ value, otherwise }: { readonly value: string | undefined; readonly otherwise: string }) {
  return value ? <span className="mono">{value}</span> : <span className="soft">{otherwise}</span>
}
