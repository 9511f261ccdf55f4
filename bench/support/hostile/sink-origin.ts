/**
 * An origin that costs its machine next to nothing: answers what has no body with a small page, and takes uploads without
 * ever answering them. Prints `{port}` when it listens. The gate sends one request at a time on a connection, in one write.
 */
import { type AddressInfo, createServer } from 'node:net'

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\na small page\n'

const server = createServer({ noDelay: true }, (socket) => {
  let uploads = false
  socket.on('data', (read) => {
    uploads ||= read[0] === 80 // P, as in POST
    if (!uploads) socket.write(ANSWER)
  })
  socket.on('error', () => {})
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`)
})
