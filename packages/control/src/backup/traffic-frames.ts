/**
 * The traffic store of a control plane that runs, for a backup beside it: the engine in its process lets nobody else in. One answer of
 * frames, each a line of JSON with the number of bytes that follow it. Whoever has the secret key may ask.
 */
import { hkdfSync } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { requireToken } from '../http/request/bearer-token.ts'
import { type BackupPiece, BadBackup } from './archive.ts'
import { readTrafficColumns, readTrafficPieces, type TrafficReading } from './traffic-pieces-store.ts'

export const TRAFFIC_BACKUP_PATH = '/operator/traffic'
const FRAME_BYTES_MAX = 1024 ** 3
const LINE_BYTES_MAX = 1024 * 1024
const NEWLINE = 0x0a
const END = '{"end":true}\n'

const columnsFrame = z.object({ columns: z.record(z.string(), z.array(z.string())) })
const pieceFrame = z.object({ table: z.string(), rows: z.int(), bytes: z.int().min(0).max(FRAME_BYTES_MAX) })

/** What the operator's command shows, which has the key: no token of a gateway, and none of a person. */
export const operatorToken = (secretKey: Uint8Array): string =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'sallyport operator token', 32)).toString('base64url')

/** Adds the route. */
export function addTrafficBackupRoute(
  app: FastifyInstance,
  { store, secretKey }: { readonly store: TrafficReading; readonly secretKey: Uint8Array },
): void {
  app.get(
    TRAFFIC_BACKUP_PATH,
    { onRequest: requireToken(operatorToken(secretKey)) },
    async (_request, reply) => {
      const columns = await readTrafficColumns(store)
      return reply
        .type('application/octet-stream')
        .header('cache-control', 'no-store')
        .send(Readable.from(frames(columns, readTrafficPieces(store, columns))))
    },
  )
}

async function* frames(
  columns: Record<string, string[]>,
  pieces: AsyncIterable<BackupPiece>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${JSON.stringify({ columns })}\n`)
  for await (const { table, rows, data } of pieces) {
    yield Buffer.from(`${JSON.stringify({ table, rows, bytes: data.length })}\n`)
    yield data
  }
  yield Buffer.from(END)
}

/** What a store holds, as a backup takes it. */
export interface TrafficDump {
  readonly columns: Record<string, string[]>
  readonly pieces: AsyncIterable<BackupPiece>
}

/** Reads an answer. Throws a `BadBackup` where it breaks off. */
export async function readFrames(body: AsyncIterable<Uint8Array>): Promise<TrafficDump> {
  const bytes = createByteReader(body)
  const { columns } = columnsFrame.parse(JSON.parse(await bytes.line()))
  async function* pieces(): AsyncGenerator<BackupPiece> {
    for (;;) {
      const line = await bytes.line()
      if (`${line}\n` === END) return
      const { table, rows, bytes: length } = pieceFrame.parse(JSON.parse(line))
      yield { engine: 'traffic', table, rows, data: await bytes.take(length) }
    }
  }
  return { columns, pieces: pieces() }
}

const BROKEN_OFF = 'the control plane stopped in the middle of its traffic: try again'

function createByteReader(body: AsyncIterable<Uint8Array>) {
  const chunks = body[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  const more = async (): Promise<Buffer> => {
    // A connection that breaks rejects; one that was ended in order does not.
    const { done, value } = await chunks.next().catch((error: unknown) => {
      throw new BadBackup(BROKEN_OFF, { cause: error })
    })
    if (done) throw new BadBackup(BROKEN_OFF)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
  return {
    line: async (): Promise<string> => {
      let end = held.indexOf(NEWLINE)
      for (; end < 0; end = held.indexOf(NEWLINE)) {
        if (held.length > LINE_BYTES_MAX)
          throw new BadBackup('the control plane did not answer with its traffic')
        held = Buffer.concat([held, await more()])
      }
      const line = held.toString('utf8', 0, end)
      held = held.subarray(end + 1)
      return line
    },
    take: async (length: number): Promise<Buffer> => {
      const parts = [held]
      let size = held.length
      while (size < length) {
        const chunk = await more()
        parts.push(chunk)
        size += chunk.length
      }
      const all = Buffer.concat(parts)
      held = all.subarray(length)
      return all.subarray(0, length)
    },
  }
}
