/** An origin that records raw bytes and answers by a script: what truly arrived, before any parser's opinion of it. */
import { type AddressInfo, createServer, type Socket } from 'node:net'

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

/** Calls `onHead` for each complete request head, found without regard to bodies: fine for what the tests send. */
export async function startRawOrigin(onHead: RawHandler = (socket) => socket.write(OK)): Promise<RawOrigin> {
  const received: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const index = received.push('') - 1
    let seen = 0
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    received,
    get connections() {
      return received.length
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
