/** The coverage of a site as a file. It is downloaded, never shown, because the names in it are whatever somebody sent. */
import { Readable } from 'node:stream'
import type { CoverageFormat, CoverageMap } from '@sallyport/contract'
import { csvOf } from './csv.ts'
import { junitOf } from './junit.ts'
import { sarifOf } from './sarif.ts'

export interface CoverageExport {
  readonly stream: Readable
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

interface Writer {
  readonly contentType: string
  readonly extension: string
  readonly write: (map: CoverageMap) => Iterable<string>
}

const WRITERS: Readonly<Record<CoverageFormat, Writer>> = {
  csv: { contentType: 'text/csv; charset=utf-8', extension: 'csv', write: csvOf },
  sarif: {
    contentType: 'application/sarif+json; charset=utf-8',
    extension: 'sarif',
    write: (map) => [JSON.stringify(sarifOf(map))],
  },
  junit: { contentType: 'application/xml; charset=utf-8', extension: 'xml', write: junitOf },
}

export function exportCoverage(map: CoverageMap, format: CoverageFormat): CoverageExport {
  const { contentType, extension, write } = WRITERS[format]
  return {
    stream: Readable.from(buffers(write(map)), { objectMode: false }),
    contentType,
    headers: {
      'content-disposition': `attachment; filename="coverage.${extension}"`,
      'x-content-type-options': 'nosniff',
    },
  }
}

function* buffers(texts: Iterable<string>): Generator<Buffer> {
  for (const text of texts) yield Buffer.from(text)
}
