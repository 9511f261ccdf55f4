/** The columns that the request log can have. */
import { Fragment, type ReactNode } from 'react'
import type { FilterFieldName, LoggedRequest } from '../../../api/traffic/request-filters.ts'
import { durationWords } from '../../../design/time/duration.ts'
import { bytesWords, wholeNumber } from '../../../language/number.ts'
import { AttackName } from '../../../parts/attack/attack-name.tsx'
import { reasonWords } from '../../../parts/traffic/code-words.ts'
import { OutcomeMark } from '../../../parts/traffic/outcome-mark.tsx'
import type { RowWords } from '../request/use-row-words.ts'
import { texts } from './texts.ts'

export interface RequestColumn {
  readonly id: string
  readonly head: string
  /** Pixels, unless somebody resized it. The target takes what is left over. */
  readonly width: number
  readonly isShown: boolean
  readonly isMono?: boolean
  /** Its digits stand below each other. */
  readonly isTabular?: boolean
  readonly align?: 'end'
  readonly cell: (request: LoggedRequest, words: RowWords) => ReactNode
  readonly title?: (request: LoggedRequest, words: RowWords) => string | undefined
  /** The filter that its value stands for: a click on the value sets it. */
  readonly filter?: { readonly field: FilterFieldName; readonly value: (request: LoggedRequest) => string }
}

export const TARGET_COLUMN = 'target'

export const REQUEST_COLUMNS: readonly RequestColumn[] = [
  {
    id: 'time',
    head: texts.time,
    width: 92,
    isShown: true,
    isTabular: true,
    cell: ({ time }, words) => words.clock(time),
    title: ({ time }, words) => words.full(time),
  },
  {
    id: 'researcher',
    head: texts.researcher,
    width: 104,
    isShown: true,
    cell: ({ researcherId }, words) => words.nameOf(researcherId),
    filter: { field: 'hacker', value: ({ researcherId }) => researcherId },
  },
  {
    id: 'site',
    head: texts.site,
    width: 150,
    isShown: false,
    cell: ({ siteId, host }, words) => words.siteOf(siteId) ?? host,
    filter: { field: 'site', value: ({ siteId }) => siteId },
  },
  {
    id: 'method',
    head: texts.method,
    width: 56,
    isShown: true,
    cell: ({ method }) => method,
    filter: { field: 'method', value: ({ method }) => method },
  },
  {
    id: TARGET_COLUMN,
    head: texts.target,
    width: 110,
    isShown: true,
    isMono: true,
    cell: ({ requestCount, target }) => (
      <>
        {requestCount > 1 ? <strong>× {wholeNumber(requestCount)} </strong> : null}
        {target}
      </>
    ),
    title: ({ siteId }, words) => words.siteOf(siteId),
  },
  {
    id: 'route',
    head: texts.route,
    width: 150,
    isShown: false,
    isMono: true,
    cell: ({ route }) => route,
    filter: { field: 'route', value: ({ route }) => route },
  },
  {
    id: 'status',
    head: texts.status,
    width: 48,
    isShown: true,
    isTabular: true,
    cell: ({ status }) => <span data-status={Math.floor(status / 100)}>{status || '–'}</span>,
    filter: { field: 'status', value: ({ status }) => String(status) },
  },
  {
    id: 'outcome',
    head: texts.outcome,
    width: 92,
    isShown: true,
    cell: ({ outcome }) => <OutcomeMark outcome={outcome} />,
    filter: { field: 'outcome', value: ({ outcome }) => outcome },
  },
  {
    id: 'reason',
    head: texts.reason,
    width: 130,
    isShown: false,
    cell: ({ reason }) => (reason ? reasonWords(reason) : ''),
    filter: { field: 'reason', value: ({ reason }) => reason },
  },
  {
    id: 'hits',
    head: texts.hits,
    width: 44,
    isShown: true,
    isTabular: true,
    cell: ({ hits }) => (hits.length > 0 ? hits.length : ''),
    title: ({ hits }) => (hits.length > 0 ? texts.firewallRulesThatMatched : undefined),
  },
  {
    id: 'classes',
    head: texts.attackClasses,
    width: 150,
    isShown: false,
    cell: ({ hits }) =>
      [...new Set(hits.map((hit) => hit.class))].map((name, index) => (
        <Fragment key={name}>
          {index > 0 ? ', ' : null}
          <AttackName attackClass={name} />
        </Fragment>
      )),
  },
  {
    id: 'tool',
    head: texts.tool,
    width: 62,
    isShown: true,
    cell: ({ tool }) => tool,
    filter: { field: 'tool', value: ({ tool }) => tool },
  },
  {
    id: 'scanner',
    head: texts.scanner,
    width: 62,
    isShown: false,
    align: 'end',
    cell: ({ scannerPercent }) => (scannerPercent > 0 ? `${scannerPercent} %` : ''),
    title: ({ scannerReason }) => scannerReason || undefined,
    filter: { field: 'scannerReason', value: ({ scannerReason }) => scannerReason },
  },
  {
    id: 'address',
    head: texts.address,
    width: 120,
    isShown: false,
    isMono: true,
    cell: ({ clientAddress }) => clientAddress,
    filter: { field: 'address', value: ({ clientAddress }) => clientAddress },
  },
  {
    id: 'sent',
    head: texts.responseSize,
    width: 70,
    isShown: false,
    align: 'end',
    cell: ({ responseBytes }) => bytesWords(responseBytes),
  },
  {
    id: 'took',
    head: texts.duration,
    width: 62,
    isShown: true,
    align: 'end',
    cell: ({ durationUs }) => durationWords(durationUs),
  },
]

const COLUMNS_BY_ID = new Map(REQUEST_COLUMNS.map((column) => [column.id, column]))

export const columnOf = (id: string): RequestColumn | undefined => COLUMNS_BY_ID.get(id)
