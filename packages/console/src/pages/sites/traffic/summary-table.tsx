import { onlyValue, type Site } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import type { Output } from '../../../api/api.tsx'
import { useApiQuery } from '../../../api/api-query.ts'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { type Column, QueryTable } from '../../../design/table/table.tsx'
import { durationWords } from '../../../design/time/duration.ts'
import { RelativeTime } from '../../../design/time/time.tsx'
import { bytesWords, wholeNumber } from '../../../language/number.ts'
import { texts } from './texts.ts'

const REFRESH_MS = 10_000
/** Of one millisecond. */
const MICROSECONDS = 1_000

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
    <Panel title={texts.byUrl} flush>
      <QueryTable
        query={summary}
        canRetry={false}
        rows={summary.data?.rows ?? []}
        empty={<EmptyState icon="traffic" title={texts.noUrlsRequestedYet} />}
        label={texts.trafficByUrl}
        rowKey={(row) => row.url}
        columns={columnsOf(site)}
      />
    </Panel>
  )
}

const columnsOf = (site: Site): readonly Column<Row>[] => [
  {
    head: texts.url,
    cell: (row) => {
      const route = row.url.startsWith(site.gatedName) ? row.url.slice(site.gatedName.length) || '/' : row.url
      return (
        <Link to="/traffic" search={{ site: [site.id], route: [onlyValue(route)] }} className="mono">
          {route}
        </Link>
      )
    },
  },
  { head: texts.requests, align: 'end', cell: (row) => wholeNumber(row.requests) },
  {
    head: texts.refused,
    align: 'end',
    cell: (row) => wholeNumber(row.requests - row.outcomes.origin - row.outcomes.interrupted),
  },
  { head: texts.status4xx, align: 'end', secondary: true, cell: (row) => wholeNumber(row.statuses['4xx']) },
  { head: texts.status5xx, align: 'end', secondary: true, cell: (row) => wholeNumber(row.statuses['5xx']) },
  { head: texts.median, align: 'end', secondary: true, cell: (row) => durationWords(row.p50 * MICROSECONDS) },
  {
    head: texts.percentile99,
    align: 'end',
    secondary: true,
    cell: (row) => durationWords(row.p99 * MICROSECONDS),
  },
  {
    head: texts.responseSize,
    align: 'end',
    secondary: 'least',
    cell: (row) => bytesWords(row.responseBytes),
  },
  { head: texts.researchers, align: 'end', secondary: 'least', cell: (row) => wholeNumber(row.hackers) },
  { head: texts.firewallHits, align: 'end', cell: (row) => wholeNumber(row.firewallHits) },
  {
    head: texts.lastSeen,
    align: 'end',
    secondary: true,
    cell: (row) => <RelativeTime instant={row.lastSeen} />,
  },
]
