/**
 * Connections that are open and no more than that, or that send a part of a request and then nothing: opened again when
 * they are closed. Argument: JSON `{port, size, sends}`; prints `{port}` when all of them are there.
 */
import { connect } from 'node:net'

const { port, size, sends } = JSON.parse(process.argv[2] ?? '{}')

function open(): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.on('close', () => void open())
  socket.resume()
  if (sends !== '') socket.write(sends)
  return new Promise((resolve) => socket.once('connect', resolve))
}

for (let opened = 0; opened < size; opened++) await open()
process.stdout.write(`{"port":${port}}\n`)
