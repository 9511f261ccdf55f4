/** The latency of one good client: requests one after the other, on one connection. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { HOST, KEY } from './gateway/control-stub.ts'

/** Asks until `done` is aborted or `count` requests are answered; resolves with their times in milliseconds. */
export async function measureLatencies(
  port: number,
  { count = Number.POSITIVE_INFINITY, until }: { count?: number; until?: AbortSignal } = {},
): Promise<number[]> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  const request = `GET / HTTP/1.1\r\nHost: ${HOST}\r\nSallyport-Key: ${KEY}\r\n\r\n`
  const times: number[] = []
  while (times.length < count && !until?.aborted) {
    const from = performance.now()
    socket.write(request)
    const [answer] = await once(socket, 'data')
    if (!String(answer).startsWith('HTTP/1.1 200 ')) throw new Error(`the good client was told ${answer}`)
    times.push(performance.now() - from)
  }
  socket.destroy()
  return times
}
