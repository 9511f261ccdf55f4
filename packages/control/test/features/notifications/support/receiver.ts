/** A receiver of webhooks on this machine, whose answers a test chooses, and which remembers every message. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnLoopback } from '../../../../../../test/support/loopback.ts'

export interface ReceivedMessage {
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly at: number
}

/** Starts it; it answers 204 until a test says otherwise. */
export async function startReceiver() {
  const received: ReceivedMessage[] = []
  let answer: RequestListener = (_request, response) => response.writeHead(204).end()
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const id = String(request.headers['webhook-id'])
    received.push({ id, headers: request.headers, body, at: Date.now() })
    answer(request, response)
  })
  const listening = await listenOnLoopback(server)
  return {
    ...listening,
    received,
    /** From now on. */
    answerWith: (listener: RequestListener) => {
      answer = listener
    },
    answerStatus: (status: number) => {
      answer = (_request, response) => response.writeHead(status).end()
    },
  }
}
