/** A TCP link to a server on loopback that can be made to fail: refuse, keep silent, answer late, or break off. */
import { connect, createServer, type Socket } from 'node:net'
import { listenOnLoopback } from './loopback.ts'

export type LinkState =
  | { readonly kind: 'sound' }
  /** Connections are closed at once, and those there are broken. */
  | { readonly kind: 'away' }
  /** Connections are taken, and nothing comes back. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'late'; readonly delayMs: number }
  /** An answer is broken off after so many bytes. */
  | { readonly kind: 'breaking'; readonly afterBytes: number }

export interface FaultyLink {
  readonly url: string
  set(state: LinkState): void
  close(): Promise<void>
}

export async function openFaultyLink(targetPort: number): Promise<FaultyLink> {
  let state: LinkState = { kind: 'sound' }
  const sockets = new Set<Socket>()
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    return socket.once('close', () => sockets.delete(socket))
  }
  const server = createServer((inner) => {
    track(inner)
    if (state.kind === 'away') {
      inner.destroy()
      return
    }
    const outer = track(connect(targetPort, '127.0.0.1'))
    inner.on('close', () => outer.destroy())
    outer.on('close', () => inner.destroy())
    inner.pipe(outer)
    outer.on('data', (chunk) => carry(state, inner, chunk))
  })
  const { url, close } = await listenOnLoopback(server)
  const dropAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url,
    set: (next) => {
      state = next
      if (next.kind !== 'late') dropAll()
    },
    close,
  }
}

function carry(state: LinkState, inner: Socket, chunk: Buffer): void {
  if (state.kind === 'silent') return
  if (state.kind === 'late') setTimeout(() => inner.write(chunk), state.delayMs)
  else if (state.kind === 'breaking') inner.write(chunk.subarray(0, state.afterBytes), () => inner.destroy())
  else inner.write(chunk)
}
