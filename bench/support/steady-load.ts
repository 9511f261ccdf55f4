/**
 * Requests at a steady rate, whatever becomes of them: each has an instant at which it is due and is sent then, over a
 * connection that is free, and its time counts from that instant. So a server that stalls is charged for every request
 * that should have been sent meanwhile, and not for one of each connection.
 *
 * The sender shares its machine with the server. What was due while the sender itself did not run is left out: sent late, it
 * would come as a burst and measure the scheduler. The first moments, in which connections are opened, are not counted.
 */
import { connect, type Socket } from 'node:net'

export interface SteadyLoad {
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  readonly perSecond: number
  readonly seconds: number
}

const CONNECTIONS = 64
const WARM_UP_SECONDS = 0.5
/** Longer between two looks, and the sender was kept from running. */
const MISSED_MS = 1
/** Shorter than a timer can be: the sender sleeps in a system call between two looks at its sockets. */
const SLEEP_MS = 0.1

interface Connection {
  readonly socket: Socket
  dueAt: number
  received: string
}

/** Milliseconds from due to answered, of each request that counts. Rejects when one is not answered with 200 or not at all. */
export async function runSteadyLoad({ port, headers, perSecond, seconds }: SteadyLoad): Promise<number[]> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = `GET / HTTP/1.1\r\n${lines.join('')}\r\n`
  const times: number[] = []
  let open = 0
  const free: Connection[] = []
  const failed = Promise.withResolvers<never>()
  const answered = (connection: Connection): void => {
    const now = performance.now()
    if (connection.dueAt >= countedFrom) times.push(now - connection.dueAt)
    open -= 1
    free.push(connection)
  }
  let countedFrom = 0
  for (let index = 0; index < CONNECTIONS; index++)
    free.push(await openConnection(port, answered, failed.reject))
  const connections = [...free]
  const startAt = performance.now() + 10
  countedFrom = startAt + WARM_UP_SECONDS * 1_000
  const count = Math.floor(perSecond * (WARM_UP_SECONDS + seconds))
  const cell = new Int32Array(new SharedArrayBuffer(4))
  /** The next request, and the first one of which no look has found yet that it is due. */
  let next = 0
  let unseen = 0
  let lookedAt = startAt
  const finished = Promise.withResolvers<void>()
  const turn = (): void => {
    const now = performance.now()
    const dueBefore = Math.min(count, Math.ceil(((now - startAt) * perSecond) / 1_000))
    const isBehind = next < unseen
    if (!isBehind && now - lookedAt > MISSED_MS) next = Math.max(next, dueBefore - 1)
    unseen = Math.max(unseen, dueBefore)
    lookedAt = now
    for (; next < unseen; next += 1) {
      const connection = free.pop()
      if (!connection) break
      connection.dueAt = dueAt(next)
      connection.socket.write(request)
      open += 1
    }
    if (next === count && open === 0) finished.resolve()
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
