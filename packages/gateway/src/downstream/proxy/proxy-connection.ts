/**
 * A connection to the proxy port, over TLS. Its first head decides: CONNECT opens a tunnel, which ends at the gate's own TLS listener
 * and nowhere else; anything else is served as requests in absolute form.
 */
import type { TLSSocket } from 'node:tls'
import {
  FramingError,
  HEAD_END,
  type ParsedRequestHead,
  parseRequestHead,
  responseHead,
} from '@sallyport/http1'
import { blockOf, type HeaderBlock } from '../../headers/header-block.ts'
import type { GatewayLimits } from '../../settings.ts'
import { type Arrival, peerOfTls } from '../arrival/arrival.ts'
import {
  EVICTION_RANKS,
  type EvictionRank,
  type LimitedConnection,
} from '../connections/connection-limiter.ts'
import type { WorkAccount, WorkBudget, Worker } from '../connections/work-budget.ts'
import type { HttpServer } from '../http1/http-server.ts'
import type { Peer, Proxied, UnreadAnswer, Unreadable } from '../read-request.ts'
import type { TlsListener } from '../tls/tls-server.ts'

/** A request to open a tunnel. */
export type ConnectHead = ParsedRequestHead<HeaderBlock>
/** The tunnel that may be opened, or the whole answer that says why not, with its record. */
export type ConnectVerdict =
  | Extract<Proxied, { kind: 'tunnel' }>
  | ({ readonly kind: 'refused' } & UnreadAnswer)

export interface ProxyServices {
  readonly limits: GatewayLimits
  readonly budget: WorkBudget
  readonly http: HttpServer
  readonly takeTunnel: TlsListener['takeTunnel']
  /** Judges who asks for a tunnel, and where to. */
  readonly judgeConnect: (peer: Peer, head: ConnectHead) => ConnectVerdict
  /** As that of a connection of HTTP/1.1. */
  readonly onUnreadable: (peer: Peer, bytes: Buffer, why: Unreadable) => UnreadAnswer
}

const OPENED = responseHead(200, 'Connection established', [])
/** What a read takes, and a head, milliseconds. */
const READ_MS = 0.02
/** How long what is still sent after a refusal is passed over, so that the refusal is read. */
const LINGER_MS = 2_000

export class ProxyConnection implements LimitedConnection, Worker {
  readonly #socket: TLSSocket
  readonly #services: ProxyServices
  readonly #arrival: Arrival
  readonly #peer: Peer
  readonly #account: WorkAccount
  readonly #since = performance.now()
  #head: Buffer = Buffer.alloc(0)
  /** What speaks on it from its first head on. */
  #inner: LimitedConnection | null = null
  #refusedAt = 0

  constructor(socket: TLSSocket, { clientAddress }: Arrival, services: ProxyServices) {
    this.#socket = socket
    this.#services = services
    // Headers in which a reverse proxy might say who asks it are not believed here: it cannot add them within a tunnel.
    this.#arrival = { clientAddress }
    this.#peer = peerOfTls(socket, { clientAddress, proxied: { kind: 'requests' } })
    const { budget } = services
    this.#account = budget.acquireForAddress(clientAddress)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => budget.release(this.#account, this))
    socket.on('data', this.#onData)
  }

  get evictionRank(): EvictionRank {
    return this.#inner?.evictionRank ?? (this.#refusedAt > 0 ? EVICTION_RANKS.slow : EVICTION_RANKS.unproven)
  }
  drain(): void {
    if (this.#inner) this.#inner.drain()
    else this.destroy()
  }
  destroy(): void {
    this.#socket.destroy()
  }

  sweep(now: number): void {
    if (this.#inner) this.#inner.sweep(now)
    else if (this.#refusedAt > 0) {
      if (now - this.#refusedAt > LINGER_MS) this.destroy()
    } else if (now - this.#since > this.#services.limits.headTimeoutMs)
      this.#refuseUnreadable({ status: 408, reason: 'request_timeout' })
  }

  readonly #onData = (read: Buffer): void => {
    const { budget } = this.#services
    budget.spend(this.#account, READ_MS, performance.now())
    if (this.#refusedAt === 0) this.#readHead(read)
    if (this.#inner || budget.mayWork(this.#account, performance.now())) return
    this.#socket.pause()
    budget.wait(this.#account, this)
  }

  /** Called when it is the connection's turn again. */
  work(): void {
    if (!this.#inner) this.#socket.resume()
  }

  #readHead(read: Buffer): void {
    const searched = Math.max(0, this.#head.length - HEAD_END.length)
    this.#head = this.#head.length === 0 ? read : Buffer.concat([this.#head, read])
    // Whatever is no tunnel is read by who serves requests, from its first byte on.
    if (!CONNECT.startsWith(this.#head.toString('latin1', 0, CONNECT.length))) this.#serveRequests()
    else {
      const end = this.#head.indexOf(HEAD_END, searched)
      const length = end < 0 ? this.#head.length : end
      if (length > CONNECT_HEAD_BYTES_MAX) this.#refuseUnreadable({ status: 431, reason: 'head_too_large' })
      else if (end >= 0) this.#connect(end)
    }
  }

  #serveRequests(): void {
    this.#handOver()
    this.#socket.unshift(this.#head)
    this.#inner = this.#services.http.serveTls(this.#socket, {
      ...this.#arrival,
      proxied: { kind: 'requests' },
    })
    this.#socket.resume()
  }

  #connect(end: number): void {
    try {
      const head = parseRequestHead(this.#head.toString('latin1', 0, end), null, blockOf)
      const verdict = this.#services.judgeConnect(this.#peer, head)
      if (verdict.kind === 'refused') this.#refuse(verdict)
      else this.#openTunnel(verdict, this.#head.subarray(end + HEAD_END.length))
    } catch (error) {
      if (!(error instanceof FramingError)) throw error
      this.#refuseUnreadable({ status: 400, reason: 'malformed_request' })
    }
  }

  /** TLS within TLS: what is sent in the tunnel is between the client and the gate, by the certificate of the gated name. */
  #openTunnel(tunnel: Proxied, rest: Buffer): void {
    this.#handOver()
    this.#socket.write(OPENED)
    if (rest.length > 0) this.#socket.unshift(rest)
    const inner = this.#services.takeTunnel(this.#socket, { ...this.#arrival, proxied: tunnel })
    this.#inner = inner
    inner.open()
  }

  #handOver(): void {
    this.#socket.off('data', this.#onData)
    this.#socket.pause()
  }

  #refuseUnreadable(why: Unreadable): void {
    this.#refuse(this.#services.onUnreadable(this.#peer, this.#head, why))
  }

  /** Reads on for a moment: bytes that arrive at a closed socket reset it, perhaps before the refusal is read. */
  #refuse({ answer, record }: UnreadAnswer): void {
    this.#refusedAt = performance.now()
    this.#head = Buffer.alloc(0)
    this.#socket.end(answer, 'latin1')
    record()
  }
}

const CONNECT = 'CONNECT '
/** It has an authority and a key, and nothing else that matters. */
const CONNECT_HEAD_BYTES_MAX = 8 * 1024
