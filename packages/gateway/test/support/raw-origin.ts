/** An origin that records raw bytes and answers by a script: what truly arrived, before any parser's opinion of it. */
import { createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { listenForTest } from '../../../../test/support/loopback.ts'

export interface RawOrigin {
  readonly port: number
  /** All bytes received, one string per connection, one character per byte. */
  readonly received: readonly string[]
  /** Number of connections accepted so far. */
  readonly connections: number
  close(): Promise<void>
}

export type RawHandler = (socket: Socket, head: string, soFar: string) => void

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/**
 * Calls `onHead` for each complete request head, found without regard to bodies: fine for what the tests send. It is closed
 * when the test has ended.
 */
export async function startRawOrigin(
  context: Pick<TestContext, 'after'>,
  onHead: RawHandler = (socket) => socket.write(OK),
): Promise<RawOrigin> {
  const received: string[] = []
  const server = createServer((socket) => {
    const index = received.push('') - 1
    let seen = 0
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received[index] += chunk.toString('latin1')
      const text = received[index] ?? ''
      for (let end = text.indexOf('\r\n\r\n', seen); end >= 0; end = text.indexOf('\r\n\r\n', seen)) {
        const head = text.slice(seen, end + 4)
        seen = end + 4
        if (/^[^ \r\n]+ /.test(head)) onHead(socket, head, text)
      }
    })
  })
  const { port, close } = await listenForTest(context, server)
  return {
    port,
    received,
    get connections() {
      return received.length
    },
    close,
  }
}
