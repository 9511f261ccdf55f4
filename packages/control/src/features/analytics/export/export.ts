/** Exports of the request log, written as they are read, with backpressure. */
import { Readable } from 'node:stream'
import type { TrafficEvent } from '@sallyport/contract'
import { recordedRequestOf } from '../recorded-request.ts'
import { csvHead, csvRows } from './csv.ts'
import { ocsfLines } from './ocsf.ts'

const EXPORT_FORMATS = ['ndjson', 'csv', 'ocsf'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

interface Writer {
  readonly contentType: string
  readonly extension: string
  readonly head: () => string
  readonly rows: (events: readonly TrafficEvent[]) => string
}

const WRITERS: Readonly<Record<ExportFormat, Writer>> = {
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    extension: 'ndjson',
    head: () => '',
    rows: (events) => events.map((event) => `${JSON.stringify(recordedRequestOf(event))}\n`).join(''),
  },
  csv: { contentType: 'text/csv; charset=utf-8', extension: 'csv', head: csvHead, rows: csvRows },
  ocsf: {
    contentType: 'application/x-ndjson; charset=utf-8',
    extension: 'ocsf.ndjson',
    head: () => '',
    rows: ocsfLines,
  },
}

export interface ExportStream {
  readonly stream: Readable
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * An export of pages of events. It is downloaded, never shown, because what it holds is hostile. The first page is read
 * before the answer begins, so that a store that is away is an error and not a broken file.
 */
export async function exportStream(
  pages: AsyncGenerator<readonly TrafficEvent[]>,
  format: ExportFormat,
): Promise<ExportStream> {
  const writer = WRITERS[format]
  const first = await pages.next()
  const events = first.done ? [] : first.value
  const stream = Readable.from(write(events, pages, writer), { objectMode: false, highWaterMark: 64 * 1024 })
  return {
    stream,
    contentType: writer.contentType,
    headers: {
      'content-disposition': `attachment; filename="requests.${writer.extension}"`,
      'x-content-type-options': 'nosniff',
    },
  }
}

/** Pieces of a page, so that the event loop is free between them. */
const PIECE_EVENTS = 500

async function* write(
  first: readonly TrafficEvent[],
  rest: AsyncIterable<readonly TrafficEvent[]>,
  writer: Writer,
): AsyncGenerator<Buffer> {
  const head = writer.head()
  if (head !== '') yield Buffer.from(head)
  yield* writePage(first, writer)
  for await (const page of rest) yield* writePage(page, writer)
}

function* writePage(page: readonly TrafficEvent[], writer: Writer): Generator<Buffer> {
  for (let start = 0; start < page.length; start += PIECE_EVENTS)
    yield Buffer.from(writer.rows(page.slice(start, start + PIECE_EVENTS)))
}
