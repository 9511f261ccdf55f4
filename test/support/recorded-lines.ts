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

/** A day and more, for clocks that are off. */
export function windowOfAll(): { readonly gte: string; readonly lte: string } {
  const at = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()
  return { gte: at(-24), lte: at(1) }
}

/** Every recorded request of that window whose path begins with `prefix`. */
export async function* readRecord(reader: RecordReader, prefix: string): AsyncGenerator<RecordedLine> {
  const query = new URLSearchParams({ path: prefix, ...windowOfAll() })
  const answer = await fetch(`${reader.controlUrl}/api/Analytics/export?${query}`, {
    headers: { authorization: `Bearer ${reader.firstRun.apiKey}` },
  })
  if (!answer.ok || !answer.body) throw new Error(`the export answered ${answer.status}`)
  for await (const line of createInterface({ input: Readable.from(answer.body) }))
    yield JSON.parse(line) as RecordedLine
}
