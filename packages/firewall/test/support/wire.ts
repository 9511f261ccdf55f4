/** Requests as bytes on a connection of their own. */
import { connect } from 'node:net'
import type { TestRequest } from './corpus.ts'

/** Headers that are about the connection, which is whose opens it. */
const OF_CONNECTION = /^(?:host|connection|content-length|transfer-encoding|expect|upgrade|te)$/i

/** @param own headers that stand before the request's, as `Name: value` */
export function wireBytes({ head, body }: TestRequest, own: readonly string[]): Buffer {
  const lines = [`${head.method} ${head.target} HTTP/1.1`, ...own, 'Connection: close']
  if (body.length > 0) lines.push(`Content-Length: ${body.length}`)
  for (let index = 0; index + 1 < head.rawHeaders.length; index += 2) {
    const name = head.rawHeaders[index] ?? ''
    if (!OF_CONNECTION.test(name)) lines.push(`${name}: ${head.rawHeaders[index + 1] ?? ''}`)
  }
  return Buffer.concat([Buffer.from([...lines, '', ''].join('\r\n'), 'utf8'), body])
}

/** Sends bytes and waits until the other side has closed the connection; fails where it does not. */
export const sendAlone = (port: number, bytes: Buffer): Promise<void> =>
  new Promise((done, fail) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', () => {})
    socket.on('error', () => {})
    socket.on('close', () => done())
    socket.setTimeout(15_000, () => {
      socket.destroy()
      fail(new Error(`no answer to ${bytes.toString('latin1', 0, 200)}`))
    })
  })
