/** An HTTP/2 client that keeps its windows by hand, and counts what ends its streams: libraries show neither. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import type { DataPlane } from '../../../src/data-plane.ts'
import { HOST, KEY } from '../test-data-plane.ts'
import { block, END_HEADERS, END_STREAM, frame, PREFACE, TYPES } from './http2-frames.ts'

/** What has come on a stream. */
export interface SeenStream {
  bytes: number
  /** Whether its end has come as a flag. */
  ended: boolean
  /** Error codes of resets. */
  readonly resets: number[]
}

const WINDOW_BYTES = 65_535
const INITIAL_WINDOW_SIZE = 4
const ACKNOWLEDGED = 1

export class FrameClient {
  readonly streams = new Map<number, SeenStream>()
  readonly #socket: TLSSocket
  readonly #host: string
  #held = Buffer.alloc(0)
  #next = 1
  /** What is left of the window that all streams share. */
  window = WINDOW_BYTES

  private constructor(socket: TLSSocket, host: string) {
    this.#socket = socket
    this.#host = host
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
  }

  /** Opens a connection of which each stream alone may take a megabyte. */
  static async open(context: TestContext, { https }: DataPlane, host = HOST): Promise<FrameClient> {
    const options = { servername: host, ALPNProtocols: ['h2'], rejectUnauthorized: false }
    const socket = connect({ port: https?.port ?? 0, host: '127.0.0.1', ...options })
    context.after(() => socket.destroy())
    const client = new FrameClient(socket, host)
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    const settings = Buffer.alloc(6)
    settings.writeUInt16BE(INITIAL_WINDOW_SIZE, 0)
    settings.writeUInt32BE(1_000_000, 2)
    const acknowledged = frame(TYPES.settings, ACKNOWLEDGED, 0)
    socket.write(Buffer.concat([PREFACE, frame(TYPES.settings, 0, 0, settings), acknowledged]))
    return client
  }

  /** Sends a request of the researcher, whole and in one write; with a body of the given frames where there are any. */
  request(
    path: string,
    frames: readonly Buffer[] = [],
    ...fields: (readonly [string, string])[]
  ): SeenStream {
    const id = this.#next
    this.#next += 2
    const head = block(
      [':method', frames.length > 0 ? 'POST' : 'GET'],
      [':scheme', 'https'],
      [':path', path],
      [':authority', this.#host],
      ['sallyport-key', KEY],
      ...fields,
    )
    const seen: SeenStream = { bytes: 0, ended: false, resets: [] }
    this.streams.set(id, seen)
    const flags = frames.length > 0 ? END_HEADERS : END_HEADERS | END_STREAM
    const data = frames.map((bytes, index) =>
      frame(TYPES.data, index === frames.length - 1 ? END_STREAM : 0, id, bytes),
    )
    this.#socket.write(Buffer.concat([frame(TYPES.headers, flags, id, head), ...data]))
    return seen
  }

  /** Lets so many bytes more through. */
  grant(bytes: number): void {
    const increment = Buffer.alloc(4)
    increment.writeUInt32BE(bytes)
    this.window += bytes
    this.#socket.write(frame(TYPES.windowUpdate, 0, 0, increment))
  }

  #read(chunk: Buffer): void {
    this.#held = Buffer.concat([this.#held, chunk])
    for (;;) {
      const length = this.#held.length < 9 ? Infinity : this.#held.readUIntBE(0, 3)
      if (this.#held.length < 9 + length) return
      this.#onFrame(this.#held, length)
      this.#held = this.#held.subarray(9 + length)
    }
  }

  #onFrame(bytes: Buffer, length: number): void {
    const type = bytes[3]
    // Without an error it says that the gate is closing.
    if (type === TYPES.goAway) assert.equal(bytes.readUInt32BE(13), 0)
    const seen = this.streams.get(bytes.readUInt32BE(5))
    if (!seen) return
    if (type === TYPES.data) {
      seen.bytes += length
      this.window -= length
    } else if (type === TYPES.reset) seen.resets.push(bytes.readUInt32BE(9))
    if ((type === TYPES.data || type === TYPES.headers) && ((bytes[4] ?? 0) & END_STREAM) > 0)
      seen.ended = true
  }
}
