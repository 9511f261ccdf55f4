/** Requests as CSV; lists are written as JSON. */
import { TABLE_FIELDS, type TrafficEvent } from '@sallyport/contract'
import { stringify } from 'csv-stringify/sync'
import { CSV_FORMAT } from '../../../http/answer/csv-format.ts'
import { recordedRequestOf } from '../recorded-request.ts'

const FORMAT = { ...CSV_FORMAT, columns: [...TABLE_FIELDS] } as const

export const csvHead = (): string => `${TABLE_FIELDS.join(',')}\r\n`

export const csvRows = (events: readonly TrafficEvent[]): string =>
  stringify(events.map(toRecord), { ...FORMAT, header: false })

const toRecord = (event: TrafficEvent): Record<string, unknown> => ({
  ...recordedRequestOf(event),
  queryNames: jsonOf(event.queryNames),
  hits: jsonOf(event.hits),
  leadsTo: jsonOf(event.leadsTo),
})

const jsonOf = (list: readonly unknown[]): string => (list.length === 0 ? '' : JSON.stringify(list))
