/**
 * An origin may answer in the middle of an upload and close: too large, no access. Then its kernel resets the connection, and
 * the next write fails while the answer waits to be read. Node destroys a socket at a failed write, and the answer with it.
 * So such a failure is only noted: what has arrived is read, and then the end, by which the connection ends anyway.
 */
import type { Socket } from 'node:net'

type WriteCallback = (error?: Error | null) => void

/** Goes on reading after a failed write; `onFailed` is called, and the socket must not be used again. */
export function keepReading(socket: Socket, onFailed: (error: Error) => void): void {
  const write = socket._write
  const writeMany = socket._writev
  const noting =
    (callback: WriteCallback): WriteCallback =>
    (error) => {
      if (!error || !isReset(error)) {
        callback(error)
        return
      }
      onFailed(error)
      callback()
    }
  socket._write = (chunk, encoding, callback) => write.call(socket, chunk, encoding, noting(callback))
  if (writeMany) socket._writev = (chunks, callback) => writeMany.call(socket, chunks, noting(callback))
}

const isReset = (error: Error): boolean =>
  'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET')
