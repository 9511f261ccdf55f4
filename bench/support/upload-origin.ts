/** An origin that takes uploads and answers each with its length when it is whole. Prints `{port}` when it listens. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((request, response) => {
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
  })
  request.on('end', () => response.end(String(length)))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`)
})
