import { onlyValue, type Site } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import type { Output } from '../../../api/api.tsx'
import { useApiQuery } from '../../../api/api-query.ts'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { bytesWords, wholeNumber } from '../../../design/number.ts'
import { Panel } from '../../../design/page/panel.tsx'
import { type Column, QueryTable } from '../../../design/table/table.tsx'
import { RelativeTime } from '../../../design/time/time.tsx'

const REFRESH_MS = 10_000

type Row = Output<'analyticsGetSummaryTrafficTable'>['rows'][number]

/** Traffic by URL: how often, how it went, how fast. */
export function SummaryTable({ site }: { readonly site: Site }) {
  const summary = useApiQuery(
    ['summary', site.id],
    'analyticsGetSummaryTrafficTable',
    { body: { urls: [site.gatedName] } },
    { refetchInterval: REFRESH_MS },
  )
  return (
    <Panel title="By URL" flush>
      <QueryTable
        query={summary}
        canRetry={false}
        rows={summary.data?.rows ?? []}
        empty={<EmptyState icon="traffic" title="No URLs requested yet" />}
        label="Traffic by URL"
        rowKey={(row) => row.url}
        columns={columnsOf(site)}
      />
    </Panel>
  )
}

const columnsOf = (site: Site): readonly Column<Row>[] => [
  {
    head: 'URL',
    cell: (row) => {
      const route = row.url.startsWith(site.gatedName) ? row.url.slice(site.gatedName.length) || '/' : row.url
      return (
        <Link to="/traffic" search={{ site: [site.id], route: [onlyValue(route)] }} className="mono">
          {route}
        </Link>
      )
    },
  },
  { head: 'Requests', align: 'end', cell: (row) => wholeNumber(row.requests) },
  {
    head: 'Refused',
    align: 'end',
    cell: (row) => wholeNumber(row.requests - row.outcomes.origin - row.outcomes.interrupted),
  },
  { head: '4xx', align: 'end', secondary: true, cell: (row) => wholeNumber(row.statuses['4xx']) },
  { head: '5xx', align: 'end', secondary: true, cell: (row) => wholeNumber(row.statuses['5xx']) },
  { head: 'Median', align: 'end', secondary: true, cell: (row) => `${row.p50.toFixed(0)} ms` },
  { head: '99 %', align: 'end', secondary: true, cell: (row) => `${row.p99.toFixed(0)} ms` },
  { head: 'Response size', align: 'end', secondary: true, cell: (row) => bytesWords(row.responseBytes) },
  { head: 'Researchers', align: 'end', secondary: true, cell: (row) => wholeNumber(row.hackers) },
  { head: 'Firewall hits', align: 'end', cell: (row) => wholeNumber(row.firewallHits) },
  {
    head: 'Last seen',
    align: 'end',
    secondary: true,
    cell: (row) => <RelativeTime instant={row.lastSeen} />,
  },
]
