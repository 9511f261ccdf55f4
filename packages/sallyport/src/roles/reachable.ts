/** Waiting for the other parts of the same machine at a start. Neither wait is for ever: each part can do without. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { get } from '@sallyport/toolbox/node-http'

const POLL_MS = 25
/** What accepts a connection and is silent is asked again. */
const ANSWER_MAX_MS = 1_000

/** Resolves once something accepts connections at `url`, or after `waitMs`. */
export async function untilReachable(url: string, waitMs: number): Promise<void> {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  await poll(waitMs, async () => {
    const socket = connect(Number(port), host)
    try {
      await once(socket, 'connect')
      return true
    } finally {
      socket.destroy()
    }
  })
}

/** Resolves once `url`, of plain HTTP, answers with 200, or after `waitMs`. */
export const untilReady = (url: string, waitMs: number): Promise<void> =>
  poll(waitMs, async () => {
    // `fetch` would load a client of its own, which takes longer than the rest of the supervisor's start.
    const asked = get(url, { agent: false, signal: AbortSignal.timeout(ANSWER_MAX_MS) })
    const [answer]: IncomingMessage[] = await once(asked, 'response')
    answer?.resume()
    return answer?.statusCode === 200
  })

async function poll(waitMs: number, check: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + waitMs
  while (performance.now() < end && !(await check().catch(() => false))) await delay(POLL_MS)
}
