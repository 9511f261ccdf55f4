/** Waiting for the other parts of the same machine at a start. Neither wait is for ever: each part can do without. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 25

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

/** Resolves once `url` answers with a status of success, or after `waitMs`. */
export const untilReady = (url: string, waitMs: number): Promise<void> =>
  poll(waitMs, async () => (await fetch(url)).ok)

async function poll(waitMs: number, check: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + waitMs
  while (performance.now() < end && !(await check().catch(() => false))) await delay(POLL_MS)
}
