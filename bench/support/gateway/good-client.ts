/**
 * A good client in a process of its own: requests at a steady rate, whatever becomes of those before. Argument: JSON
 * `{port, perSecond}`. Prints `{port}` when it is connected; answers each message with the times in milliseconds since the one
 * before and the longest time for which it did not run itself, and goes on until nobody listens any more.
 *
 * A request counts from the instant at which it was due. Only where the client itself came late does it count from then.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { HOST, KEY } from './control-stub.ts'

/** As many requests may wait for an answer before the next ones have to wait for a connection. */
const CONNECTIONS = 64
const REQUEST = `GET / HTTP/1.1\r\nHost: ${HOST}\r\nSallyport-Key: ${KEY}\r\n\r\n`

const { port, perSecond }: { port: number; perSecond: number } = JSON.parse(process.argv[2] ?? '{}')
let times: number[] = []
const free: Socket[] = []
const askedAt = new Map<Socket, number>()
for (let index = 0; index < CONNECTIONS; index++) free.push(await open())
let ownPauseMs = 0
let dueAt = performance.now()
let turnAt = dueAt
setInterval(turn, 1)
process.stdout.write(`${JSON.stringify({ port })}\n`)
process.on('message', () => {
  process.send?.({ times, ownPauseMs })
  times = []
  ownPauseMs = 0
})
process.once('disconnect', () => process.exit())

function turn(): void {
  const now = performance.now()
  const before = turnAt
  ownPauseMs = Math.max(ownPauseMs, now - before)
  turnAt = now
  for (; dueAt <= now; dueAt += 1_000 / perSecond) {
    // In turn, so that none is idle for so long that it is closed.
    const socket = free.shift()
    if (!socket) return
    askedAt.set(socket, dueAt > before ? now : dueAt)
    socket.write(REQUEST)
  }
}

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  socket.on('data', (answer) => {
    if (!String(answer).startsWith('HTTP/1.1 200 ')) throw new Error(`the good client was told ${answer}`)
    times.push(performance.now() - (askedAt.get(socket) ?? 0))
    free.push(socket)
  })
  await once(socket, 'connect')
  return socket
}
