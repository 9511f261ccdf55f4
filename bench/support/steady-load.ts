/**
 * Requests at a steady rate, whatever becomes of them: each has an instant at which it is due and is sent then, over a
 * connection that is free, and its time counts from that instant. So a server that stalls is charged for every request
 * that should have been sent meanwhile, and not for one of each connection.
 */
import { connect, type Socket } from 'node:net'

export interface SteadyLoad {
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  readonly perSecond: number
  readonly seconds: number
}

const CONNECTIONS = 64
/** Shorter than a timer can be: the sender sleeps in a system call between two looks at its sockets. */
const SLEEP_MS = 0.1

interface Connection {
  readonly socket: Socket
  dueAt: number
  received: string
}

/** Milliseconds from due to answered, of each request. Rejects when one is not answered with 200 or not at all. */
export async function runSteadyLoad({ port, headers, perSecond, seconds }: SteadyLoad): Promise<number[]> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = `GET / HTTP/1.1\r\n${lines.join('')}\r\n`
  const times: number[] = []
  const free: Connection[] = []
  const failed = Promise.withResolvers<never>()
  const answered = (connection: Connection): void => {
    times.push(performance.now() - connection.dueAt)
    free.push(connection)
  }
  for (let index = 0; index < CONNECTIONS; index++)
    free.push(await openConnection(port, answered, failed.reject))
  const connections = [...free]
  const startAt = performance.now() + 10
  const count = Math.floor(perSecond * seconds)
  const cell = new Int32Array(new SharedArrayBuffer(4))
  let sent = 0
  const finished = Promise.withResolvers<void>()
  const turn = (): void => {
    for (let due = dueAt(sent); sent < count && due <= performance.now(); due = dueAt(sent)) {
      const connection = free.pop()
      if (!connection) break
      connection.dueAt = due
      connection.socket.write(request)
      sent += 1
    }
    if (times.length === count) finished.resolve()
    else {
      Atomics.wait(cell, 0, 0, SLEEP_MS)
      setImmediate(turn)
    }
  }
  const dueAt = (index: number): number => startAt + (index * 1_000) / perSecond
  turn()
  try {
    await Promise.race([finished.promise, failed.promise])
  } finally {
    for (const { socket } of connections) socket.destroy()
  }
  return times
}

async function openConnection(
  port: number,
  answered: (connection: Connection) => void,
  fail: (error: Error) => void,
): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const connection: Connection = { socket, dueAt: 0, received: '' }
  socket.on('error', fail)
  socket.on('data', (chunk) => {
    connection.received += chunk.toString('latin1')
    const headEnd = connection.received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(connection.received)?.[1])
    if (connection.received.length < headEnd + 4 + length) return
    if (connection.received.startsWith('HTTP/1.1 200 ')) {
      connection.received = ''
      answered(connection)
    } else fail(new Error(`not answered with 200: ${connection.received.slice(0, 200)}`))
  })
  await new Promise((resolve) => socket.once('connect', resolve))
  return connection
}
