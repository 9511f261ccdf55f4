import type { FirewallExclusion } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useAllExclusions } from '../../api/queries/firewall-queries.ts'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, MoreButton, Table } from '../../design/table/table.tsx'
import { exclusionColumns } from '../../parts/firewall/exclusion-list.tsx'
import { noteColumns } from '../../parts/firewall/firewall-list.tsx'
import { texts } from './texts.ts'

type Row = FirewallExclusion & { readonly siteId: string; readonly gatedName: string }

const COLUMNS: readonly Column<Row>[] = [
  {
    head: texts.site,
    cell: ({ siteId, gatedName }) => (
      <Link to="/sites/$siteId/$tab" params={{ siteId, tab: 'firewall' }}>
        {gatedName}
      </Link>
    ),
  },
  ...exclusionColumns<Row>(),
  ...noteColumns<Row>(),
]

/** The exclusions of every site; they are added and removed where one site is chosen. */
export function AllExclusions() {
  const all = useAllExclusions()
  const rows = all.rows.flatMap(({ siteId, gatedName, exclusions }) =>
    exclusions.map((exclusion) => ({ ...exclusion, siteId, gatedName })),
  )
  return (
    <Panel title={texts.exclusionsOfAllSites} description={texts.exclusionsOfAllSitesHint} flush>
      <QueryState query={all} />
      {all.isSuccess && rows.length === 0 ? <EmptyState icon="firewall" title={texts.noExclusions} /> : null}
      {rows.length > 0 ? (
        <Table
          label={texts.exclusionsOfAllSites}
          columns={COLUMNS}
          rows={rows}
          rowKey={(one) => `${one.siteId} ${one.id}`}
        />
      ) : null}
      <MoreButton list={all} />
    </Panel>
  )
}
