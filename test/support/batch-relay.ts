/**
 * Stands between gateways and the control plane: passes everything on, remembers the traffic batches byte for byte, and
 * can send each of them twice at once, or again later.
 */
import { Agent, createServer, type IncomingHttpHeaders, request, type ServerResponse } from 'node:http'
import { BATCHES_PATH } from '@sallyport/contract'
import { listenOnLoopback } from './loopback.ts'

interface RememberedBatch {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface BatchRelay {
  readonly url: string
  /** Batches with events that came so far. */
  count(): number
  /** From now on each batch is posted this many times at once; the gateway gets the first of the answers. */
  repeat(times: number): void
  /** Posts the last `batches` batches again, `times` times at once each, and returns the statuses. */
  replay(batches: number, times: number): Promise<number[]>
  close(): Promise<void>
}

const REMEMBERED_MAX = 200

export async function openBatchRelay(targetUrl: string): Promise<BatchRelay> {
  const remembered: RememberedBatch[] = []
  const agent = new Agent({ keepAlive: false })
  const { hostname, port } = new URL(targetUrl)
  let count = 0
  let times = 1

  const post = ({ headers, body }: RememberedBatch): Promise<number> =>
    new Promise((answered, failed) => {
      const call = request(
        { hostname, port, agent, path: BATCHES_PATH, method: 'POST', headers },
        (answer) => {
          answer.resume()
          answered(answer.statusCode ?? 0)
        },
      )
      call.on('error', failed)
      call.end(body)
    })
  const postRepeatedly = (batch: RememberedBatch, how: number): Promise<number[]> =>
    Promise.all(Array.from({ length: how }, () => post(batch).catch(() => 0)))

  const relayBatch = async (batch: RememberedBatch, response: ServerResponse): Promise<void> => {
    // A header without events is a mere report.
    const hasEvents = batch.body.indexOf(10) < batch.body.length - 1
    if (hasEvents) {
      count += 1
      remembered.push(batch)
      if (remembered.length > REMEMBERED_MAX) remembered.shift()
    }
    const [status = 0] = await postRepeatedly(batch, hasEvents ? times : 1)
    if (status === 0) response.destroy()
    else response.writeHead(status).end()
  }
  const server = createServer((incoming, response) => {
    incoming.on('error', () => response.destroy())
    if (incoming.method === 'POST' && incoming.url === BATCHES_PATH) {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        const batch = { headers: incoming.headers, body: Buffer.concat(chunks) }
        relayBatch(batch, response).catch(() => response.destroy())
      })
      return
    }
    const { method, url: path, headers } = incoming
    const call = request({ hostname, port, agent, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
      answer.on('error', () => response.destroy())
      answer.on('aborted', () => response.destroy())
    })
    call.on('error', () => response.destroy())
    response.on('close', () => call.destroy())
    incoming.pipe(call)
  })
  const { url, close } = await listenOnLoopback(server)
  return {
    url,
    count: () => count,
    repeat: (wanted) => {
      times = wanted
    },
    replay: async (batches, how) =>
      (await Promise.all(remembered.slice(-batches).map((batch) => postRepeatedly(batch, how)))).flat(),
    close: async () => {
      await close()
      agent.destroy()
    },
  }
}
