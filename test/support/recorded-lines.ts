/** What the record holds, read by the export. */
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { Installation } from './installation.ts'

export interface RecordedLine {
  /** The id that the origin is told, too. */
  readonly id: string
  readonly outcome: string
  readonly target: string
  readonly hits: readonly { readonly excluded: boolean }[]
}

/** Where a record is read, and by whom. */
export type RecordReader = Pick<Installation, 'controlUrl'> & {
  readonly firstRun: { readonly apiKey: string }
}

/** Every recorded request whose path begins with `prefix`. */
export async function* readRecord(reader: RecordReader, prefix: string): AsyncGenerator<RecordedLine> {
  const answer = await fetch(`${reader.controlUrl}/api/Analytics/export?path=${prefix}`, {
    headers: { authorization: `Bearer ${reader.firstRun.apiKey}` },
  })
  if (!answer.ok || !answer.body) throw new Error(`the export answered ${answer.status}`)
  for await (const line of createInterface({ input: Readable.from(answer.body) }))
    yield JSON.parse(line) as RecordedLine
}
