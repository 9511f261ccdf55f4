/**
 * Requests as CSV (RFC 4180). Values that a spreadsheet would run as a formula get a leading apostrophe; lists are
 * written as JSON.
 */
import type { TrafficEvent } from '@sallyport/contract'
import { stringify } from 'csv-stringify/sync'
import { recordedRequestOf } from '../recorded-request.ts'

/** Columns in order; a test holds them to be all the fields of an event. */
export const CSV_COLUMNS = [
  'time',
  'id',
  'kind',
  'orgId',
  'siteId',
  'gatewayId',
  'researcherId',
  'credential',
  'credentialId',
  'clientAddress',
  'httpVersion',
  'tls',
  'method',
  'scheme',
  'host',
  'target',
  'path',
  'route',
  'queryNames',
  'status',
  'outcome',
  'reason',
  'rule',
  'reading',
  'requestBytes',
  'responseBytes',
  'durationUs',
  'firstByteUs',
  'userAgent',
  'tool',
  'inspection',
  'hits',
  'messagesIn',
  'messagesOut',
  'requestCount',
] as const satisfies readonly (keyof TrafficEvent)[]

const FORMAT = { record_delimiter: '\r\n', escape_formulas: true, columns: [...CSV_COLUMNS] } as const

export const csvHead = (): string => `${CSV_COLUMNS.join(',')}\r\n`

export const csvRows = (events: readonly TrafficEvent[]): string =>
  stringify(events.map(toRecord), { ...FORMAT, header: false })

const toRecord = (event: TrafficEvent): Record<string, unknown> => ({
  ...recordedRequestOf(event),
  queryNames: event.queryNames.length === 0 ? '' : JSON.stringify(event.queryNames),
  hits: event.hits.length === 0 ? '' : JSON.stringify(event.hits),
})
