/**
 * A way to a port on loopback as over a network: so many bytes a second towards it, and a delay each way. It holds as much as is
 * on the way and no more, as a network does, so the sender feels its pace.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Link {
  readonly bytesPerSecond: number
  /** There and back. */
  readonly roundTripMs: number
}

/** Opens one. Resolves with its port, and what closes it. */
export async function openSlowLink(
  targetPort: number,
  link: Link,
): Promise<{ readonly port: number; close(): void }> {
  const server = createServer({ noDelay: true }, (inner) => {
    const outer = connect({ port: targetPort, host: '127.0.0.1', noDelay: true })
    carry(inner, outer, link)
    carry(outer, inner, link)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

function carry(from: Socket, to: Socket, { bytesPerSecond, roundTripMs }: Link): void {
  const delayMs = roundTripMs / 2
  /** When the last byte that was taken has gone into the link. */
  let enteredAt = 0
  const underWay: { readonly chunk: Buffer; readonly dueAt: number }[] = []
  const deliver = (): void => {
    for (let next = underWay[0]; next && next.dueAt <= performance.now(); next = underWay[0]) {
      to.write(next.chunk)
      underWay.shift()
    }
    if (underWay[0]) setTimeout(deliver, Math.max(1, underWay[0].dueAt - performance.now()))
  }
  from.on('error', () => {})
  from.on('close', () => setTimeout(() => to.end(), delayMs + 10))
  from.on('data', (chunk: Buffer) => {
    const now = performance.now()
    enteredAt = Math.max(enteredAt, now) + (chunk.length / bytesPerSecond) * 1_000
    underWay.push({ chunk: Buffer.from(chunk), dueAt: enteredAt + delayMs })
    if (underWay.length === 1) setTimeout(deliver, delayMs)
    from.pause()
    setTimeout(() => from.resume(), enteredAt - now)
  })
}
