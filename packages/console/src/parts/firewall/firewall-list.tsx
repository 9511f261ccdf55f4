import { ActionIcon } from '@mantine/core'
import type { FirewallExclusion, FirewallOverride } from '@sallyport/contract'
import type { ReactNode } from 'react'
import { usePermission } from '../../api/queries/account-queries.ts'
import { Icon } from '../../design/icon.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, Table } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { SCOPE, type ScopeField } from './scope.tsx'
import { texts } from './texts.ts'
import { type FirewallListName, useFirewallList } from './use-firewall-list.ts'

/** The exclusions or the overrides of a site: listed, added and removed. */
export function FirewallList<Entry extends FirewallExclusion | FirewallOverride>(props: {
  readonly siteId: string
  readonly list: FirewallListName
  /** What one entry is called. */
  readonly noun: string
  readonly title: string
  readonly description: string
  readonly entries: readonly Entry[]
  /** The columns that differ from list to list; a note, the end and removal follow. */
  readonly columns: readonly Column<Entry>[]
  readonly empty: ReactNode
  readonly addition: ReactNode
}) {
  const { siteId, list, noun, title, entries } = props
  const may = usePermission('firewall:write')
  const { remove } = useFirewallList(siteId, list)
  const columns: readonly Column<Entry>[] = [
    ...props.columns,
    ...noteColumns<Entry>(),
    {
      head: texts.remove,
      align: 'end',
      cell: ({ id }) =>
        may ? (
          <ActionIcon
            aria-label={texts.removeThis(noun)}
            onClick={() => remove(id, texts.theIsRemoved(noun))}
          >
            <Icon name="trash" />
          </ActionIcon>
        ) : null,
    },
  ]
  return (
    <Panel title={title} description={props.description} flush actions={may ? props.addition : null}>
      {entries.length === 0 ? (
        props.empty
      ) : (
        <Table label={title} columns={columns} rows={entries} rowKey={(one) => one.id} />
      )}
    </Panel>
  )
}

/** What was noted of an entry, and when it ends. */
export const noteColumns = <
  Entry extends FirewallExclusion | FirewallOverride,
>(): readonly Column<Entry>[] => [
  { head: texts.note, secondary: true, cell: (one) => one.note },
  {
    head: texts.until,
    secondary: true,
    cell: (one) => <RelativeTime instant={one.expires ?? null} otherwise={texts.removed} />,
  },
]

/** A field of what entries cover. `any` draws the words for an entry that leaves the field out. */
export const scopeColumn = <Entry extends FirewallExclusion | FirewallOverride>(
  field: ScopeField,
  any: (words: string) => ReactNode,
): Column<Entry> => ({
  head: SCOPE[field].label,
  ...(field === 'part' ? { secondary: true } : {}),
  cell: ({ [field]: value }) => (value ? <span className="mono">{value}</span> : any(SCOPE[field].any)),
})
