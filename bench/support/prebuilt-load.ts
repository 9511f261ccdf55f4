/**
 * Sends requests that were put together before, byte for byte, over a few connections. A client that makes each request as it
 * sends it takes more of the machine than the server, which then has one or two requests in a turn of its event loop where a
 * busy one has many.
 */
import { connect } from 'node:net'

const HEAD_END = '\r\n\r\n'
const ANSWERED = /^HTTP\/1\.1 200 .*?\r\ncontent-length: (\d+)\r\n/is

/** Sends each of the requests once, the next on a connection when the one before is answered. Rejects where one is not answered with 200 and a length. */
export async function sendPrebuilt(
  url: string,
  requests: readonly Buffer[],
  connections: number,
): Promise<void> {
  const rest = requests.values()
  await Promise.all(Array.from({ length: connections }, () => sendOverOne(new URL(url), rest)))
}

function sendOverOne({ hostname, port }: URL, rest: Iterator<Buffer, undefined>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let answer = ''
  const sendNext = (): void => {
    answer = ''
    const { value } = rest.next()
    if (value) socket.write(value)
    else socket.end(resolve)
  }
  socket.on('connect', sendNext)
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1')
    const end = answer.indexOf(HEAD_END)
    if (end < 0) return
    const length = ANSWERED.exec(answer.slice(0, end + HEAD_END.length))?.[1]
    if (length === undefined) socket.destroy(new Error(`answered with ${answer.slice(0, end)}`))
    else if (answer.length >= end + HEAD_END.length + Number(length)) sendNext()
  })
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('the connection was closed')))
  return promise
}
