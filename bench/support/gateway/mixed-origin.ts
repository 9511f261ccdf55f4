/**
 * An origin for long runs: a small page, an upload that is read to its end, a stream in pieces, and a path that never
 * answers. Prints `{port}` when it listens.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const PIECE = 'x'.repeat(8 * 1024)
const PIECES = 8

const server = createServer((request, response) => {
  if (request.url === '/never') return
  if (request.url === '/stream') {
    let left = PIECES
    const timer = setInterval(() => {
      left -= 1
      if (left > 0) return response.write(PIECE)
      clearInterval(timer)
      return response.end()
    }, 2)
    response.on('close', () => clearInterval(timer))
    return
  }
  request.resume().on('end', () => response.end('a small page\n'))
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`)
})
