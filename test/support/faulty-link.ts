/** A TCP link to a server on loopback that can be made to fail: refuse, keep silent, answer late, break off, half-close. */
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
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
  /** Whatever comes back takes up to `delayMs`, and of all pieces the share `resets` (0 to 1) resets its connection instead. */
  | { readonly kind: 'unsteady'; readonly delayMs: number; readonly resets: number }
  /** The server's side is ended (a FIN, nothing more comes back), and what is sent still arrives. */
  | { readonly kind: 'half-closed' }

export interface FaultyLink {
  readonly url: string
  readonly port: number
  set(state: LinkState): void
  close(): Promise<void>
}

/** @param target a port of loopback, or the path of a Unix socket */
export async function openFaultyLink(target: number | string): Promise<FaultyLink> {
  let state: LinkState = { kind: 'sound' }
  const sockets = new Set<Socket>()
  const inners = new Set<Socket>()
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    return socket.once('close', () => sockets.delete(socket))
  }
  const server = createServer({ allowHalfOpen: true }, (inner) => {
    track(inner)
    if (state.kind === 'away') {
      inner.destroy()
      return
    }
    inners.add(inner)
    const outer = track(typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1'))
    inner.on('close', () => {
      inners.delete(inner)
      outer.destroy()
    })
    // What is on its way late arrives before the end does.
    let carried = Promise.resolve()
    outer.on('close', () => void carried.then(() => inner.destroy()))
    inner.pipe(outer)
    outer.on('data', (chunk) => {
      const dueAt = performance.now() + delayOf(state)
      carried = carried.then(() => carry(state, inner, chunk, dueAt))
    })
    if (state.kind === 'half-closed') inner.end()
  })
  const { url, port, close } = await listenOnLoopback(server)
  return {
    url,
    port,
    set: (next) => {
      state = next
      if (next.kind === 'half-closed') for (const inner of inners) inner.end()
      else if (next.kind !== 'late' && next.kind !== 'unsteady')
        for (const socket of sockets) socket.destroy()
    },
    close,
  }
}

function delayOf(state: LinkState): number {
  if (state.kind === 'late') return state.delayMs
  return state.kind === 'unsteady' ? Math.random() * state.delayMs : 0
}

/** Passes a piece on when it is due; resolves when the next one may follow. */
async function carry(state: LinkState, inner: Socket, chunk: Buffer, dueAt: number): Promise<void> {
  const waitMs = dueAt - performance.now()
  if (waitMs > 0) await delay(waitMs)
  if (state.kind === 'silent' || !inner.writable) return
  if (state.kind === 'breaking') inner.write(chunk.subarray(0, state.afterBytes), () => inner.destroy())
  else if (state.kind === 'unsteady' && Math.random() < state.resets) inner.resetAndDestroy()
  else inner.write(chunk)
}
