/**
 * A hostile client in a process of its own: one connection that sends an attack at up to so many bytes a second, and another
 * one as soon as that is closed. Reads what it is answered and passes it over. Argument: JSON `{port, tlsPort, target, attack,
 * bytesPerSecond}`. Prints `{port}`; asked on its channel, it says what was taken since it was asked before.
 */
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type Attack, attacksOn } from './attacks.ts'

export interface Sent {
  readonly bytes: number
  readonly units: number
  readonly connections: number
}

const { port, tlsPort, target, attack: name, bytesPerSecond } = JSON.parse(process.argv[2] ?? '{}')
const attack = attacksOn(target)[name] as Attack
const sent = { bytes: 0, units: 0, connections: 0 }
const startAt = performance.now()
let allBytes = 0

process.stdout.write(`${JSON.stringify({ port })}\n`)
process.on('message', () => {
  process.send?.({ ...sent })
  Object.assign(sent, { bytes: 0, units: 0, connections: 0 })
})
process.once('disconnect', () => process.exit())

function open(): void {
  const { next, opening } = attacksOn(target)[name] as Attack
  const socket: Socket =
    attack.protocol === 'h2'
      ? connectTls({
          port: tlsPort,
          host: '127.0.0.1',
          servername: target.host,
          ALPNProtocols: ['h2'],
          rejectUnauthorized: false,
        })
      : connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  const window = new SendWindow()
  let begun = false
  let timer: NodeJS.Timeout | undefined
  const go = (): void => {
    timer = undefined
    while (!socket.destroyed && socket.writable) {
      const leadMs = (allBytes / bytesPerSecond) * 1_000 - (performance.now() - startAt)
      if (leadMs > 0 || !window.has(attack.dataBytes ?? 0)) {
        timer = setTimeout(go, Math.max(1, leadMs))
        return
      }
      const { bytes, units } = next()
      window.take(attack.dataBytes ?? 0)
      count(bytes.length, units)
      if (attack.byteByByte) {
        for (let at = 0; at < 64; at++) socket.write(bytes.subarray(at % 26, (at % 26) + 1))
        count(64 - bytes.length, 64 - units)
        timer = setTimeout(go, 1)
        return
      }
      if (!socket.write(bytes)) {
        socket.once('drain', go)
        return
      }
    }
  }
  socket.on(attack.protocol === 'h2' ? 'secureConnect' : 'connect', () => {
    begun = true
    sent.connections += 1
    if (opening.length > 0) socket.write(opening)
    go()
  })
  socket.on('data', (chunk: Buffer) => {
    if (attack.protocol === 'h2') window.read(chunk)
  })
  // Whoever is told that no more is read goes on elsewhere.
  socket.on('end', () => socket.destroy())
  socket.on('error', () => {})
  socket.on('close', () => {
    clearTimeout(timer)
    if (begun) setImmediate(open)
    else setTimeout(open, 20)
  })
}

function count(bytes: number, units: number): void {
  allBytes += bytes
  sent.bytes += bytes
  sent.units += units
}

/** What flow control lets through of stream 1 and of the connection (RFC 9113, section 5.2). */
class SendWindow {
  readonly #left = [65_535, 65_535]
  #kept = Buffer.alloc(0)

  has(bytes: number): boolean {
    return this.#left.every((left) => left >= bytes)
  }
  take(bytes: number): void {
    for (const index of [0, 1]) this.#left[index] = (this.#left[index] ?? 0) - bytes
  }
  read(chunk: Buffer): void {
    let bytes = Buffer.concat([this.#kept, chunk])
    while (bytes.length >= 9 && bytes.length >= 9 + bytes.readUIntBE(0, 3)) {
      const length = bytes.readUIntBE(0, 3)
      const stream = bytes.readUInt32BE(5)
      if (bytes[3] === 8 && stream < 2) this.#left[stream] = (this.#left[stream] ?? 0) + bytes.readUInt32BE(9)
      bytes = bytes.subarray(9 + length)
    }
    this.#kept = bytes
  }
}

open()
