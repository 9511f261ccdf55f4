/**
 * Reads accepted connections into one shared buffer. Node offers that (`onread`) for sockets that one opens, not for those
 * that a server accepts: there, each read allocates 64 KiB and gives most of it back, which costs a third of what a whole
 * exchange needs otherwise (docs/decisions/0060). So the accepted socket, which has read nothing yet
 * (`pauseOnConnect`), gives its handle to a socket that is made with the option. That is how Node's own servers make their
 * sockets, but no documented use of `handle`: where a socket has none, it is read in the ordinary way.
 */
import { Socket, type SocketConstructorOpts } from 'node:net'
import { READ_BUFFER, viewOfRead } from '../../exchange/shared-read-buffer.ts'

/** What Node's typings do not show of a socket. */
type Handled = { _handle?: { reading: boolean } | null }

/**
 * The socket to use in place of `accepted`. `onRead` gets what arrives, valid during the call only; false stops the reading
 * until `resume`.
 */
export function readInto(accepted: Socket & Handled, onRead: (read: Buffer) => boolean): Socket {
  const handle = accepted._handle
  if (!handle) {
    accepted.on('data', (read) => {
      if (!onRead(read)) accepted.pause()
    })
    return accepted
  }
  accepted._handle = null
  handle.reading = false
  const options = {
    handle,
    allowHalfOpen: true,
    readable: true,
    writable: true,
    onread: {
      buffer: READ_BUFFER,
      callback: (bytesRead: number) => onRead(viewOfRead(bytesRead)),
    },
  }
  // The typings know one documented class of handles only.
  const socket = new Socket(options as unknown as SocketConstructorOpts)
  // The server counts its connections by the sockets that it made.
  socket.on('close', () => accepted.destroy())
  return socket
}
