/**
 * One connection of a tool to the proxy: its first head says where it leads, then bytes go both ways. Requests are read, for each is
 * given the key; answers are not, because they come on a connection to the gate that is this one's alone.
 */
import { lookup as systemLookup } from 'node:dns'
import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext, TLSSocket } from 'node:tls'
import { FramingError, HEAD_END, responseHead } from '@sallyport/http1'
import { type Gate, type Gates, isLocal } from './gates.ts'
import { HEAD_BYTES_MAX, KeyedRequests, readHead, type SentHead } from './keyed-requests.ts'

export interface ProxyParts {
  readonly gates: Gates
  readonly key: string
  /** What tools are shown in the gate's place; null where no gate is asked over TLS. */
  readonly context: SecureContext | null
  /** PEM of the authorities that vouch for the gate; undefined for those of Node. */
  readonly authorities: readonly string[] | undefined
}

const HEAD_TIMEOUT_MS = 15_000
const CONNECT_TIMEOUT_MS = 10_000
/** Longer than the gate leaves a WebSocket idle. */
const IDLE_TIMEOUT_MS = 3_660_000
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  431: 'Request Header Fields Too Large',
  502: 'Bad Gateway',
}

/** Serves a connection that was just accepted. */
export function serveConnection(client: Socket, parts: ProxyParts): void {
  const chunks: Buffer[] = []
  client.on('error', () => client.destroy())
  client.setTimeout(HEAD_TIMEOUT_MS, () => client.destroy())
  const onData = (read: Buffer): void => {
    chunks.push(read)
    const bytes = chunks.length === 1 ? read : Buffer.concat(chunks)
    chunks.splice(0, chunks.length, bytes)
    const end = bytes.indexOf(HEAD_END)
    if ((end < 0 ? bytes.length : end) > HEAD_BYTES_MAX)
      refuse(client, 431, 'the head of the request is too large')
    else if (end >= 0) {
      client.off('data', onData)
      client.pause()
      client.setTimeout(IDLE_TIMEOUT_MS)
      lead(client, bytes.toString('latin1', 0, end), bytes.subarray(end + HEAD_END.length), parts)
    }
  }
  client.on('data', onData)
}

/** Leads a connection to where its first head says. */
function lead(client: Socket, text: string, rest: Buffer, parts: ProxyParts): void {
  try {
    const head = readHead(text)
    if (head.method === 'CONNECT') openTunnel(client, head.target, rest, parts)
    else forward(client, head, rest, parts)
  } catch (error) {
    refuseUnreadable(client, error)
  }
}

/** What is asked within goes to the gate that was named; TLS ends here, or no key could be put in. */
function openTunnel(client: Socket, authority: string, rest: Buffer, parts: ProxyParts): void {
  const gate = parts.gates.get(authority.toLowerCase())
  if (!gate) {
    refuse(client, 403, NOT_LISTED)
    return
  }
  client.write('HTTP/1.1 200 Connection established\r\n\r\n')
  if (rest.length > 0) client.unshift(rest)
  if (!gate.isSecure || !parts.context) {
    new ProxiedConnection(client, gate, parts, false)
    return
  }
  const inner = new TLSSocket(client, {
    isServer: true,
    secureContext: parts.context,
    // A client of HTTP/1.0 may say so, and end where nobody takes it (`curl -0`).
    ALPNProtocols: ['http/1.1', 'http/1.0'],
  })
  inner.on('error', () => client.destroy())
  new ProxiedConnection(inner, gate, parts, false)
}

/** A request in absolute form (RFC 9112, section 3.2.2): one a connection, because the next may be for another gate. */
function forward(client: Socket, head: SentHead, rest: Buffer, parts: ProxyParts): void {
  const [, scheme = '', host = '', port = '', target = ''] =
    /^(https?):\/\/([a-z0-9.-]+)(?::(\d{1,5}))?([/?].*)?$/i.exec(head.target) ?? []
  if (scheme === '') {
    refuse(client, 400, 'this is a proxy: set it as one in your tool')
    return
  }
  const isSecure = scheme.toLowerCase() === 'https'
  const gate = parts.gates.get(`${host.toLowerCase()}:${port || (isSecure ? 443 : 80)}`)
  if (!gate || gate.isSecure !== isSecure) {
    refuse(client, 403, NOT_LISTED)
    return
  }
  const connection = new ProxiedConnection(client, gate, parts, true)
  connection.begin({ ...head, target: target.startsWith('/') ? target : `/${target}` })
  if (rest.length > 0) client.unshift(rest)
}

const NOT_LISTED = 'this is none of the addresses that the proxy was started with'

/** Both ways, at the pace of the slower side; an end of either is that of the other. */
class ProxiedConnection {
  readonly #client: Socket
  readonly #gate: Socket
  readonly #requests: KeyedRequests
  #isAnswered = false

  constructor(client: Socket, gate: Gate, parts: ProxyParts, isSingle: boolean) {
    this.#client = client
    this.#gate = open(gate, parts)
    this.#requests = new KeyedRequests({
      key: parts.key,
      isSingle,
      write: (bytes) => {
        if (!this.#gate.write(bytes)) client.pause()
      },
    })
    const connecting = setTimeout(() => this.#fail('the gate does not answer'), CONNECT_TIMEOUT_MS)
    this.#gate.once(gate.isSecure ? 'secureConnect' : 'connect', () => {
      clearTimeout(connecting)
      client.resume()
    })
    this.#gate.on('error', ({ message }) => this.#fail(`the gate cannot be reached: ${message}`))
    this.#gate.on('close', () => {
      clearTimeout(connecting)
      client.destroySoon()
    })
    client.on('error', () => client.destroy())
    client.on('close', () => this.#gate.destroy())
    client.on('data', (read: Buffer) => this.#onRequest(read))
    // Until the gate is there.
    client.pause()
    this.#gate.on('drain', () => {
      if (!this.#requests.isUpgrading) client.resume()
    })
    this.#gate.on('data', (read: Buffer) => this.#onAnswer(read))
    client.on('drain', () => this.#gate.resume())
  }

  /** Sends on a head that was read already. */
  begin(head: SentHead): void {
    this.#requests.begin(head)
  }

  #onRequest(read: Buffer): void {
    try {
      this.#requests.push(read)
    } catch (error) {
      // An answer that has begun cannot be made another.
      if (this.#isAnswered) this.#client.destroy()
      else refuseUnreadable(this.#client, error)
    }
    if (this.#requests.isUpgrading) this.#client.pause()
  }

  #onAnswer(read: Buffer): void {
    this.#isAnswered = true
    if (this.#requests.isUpgrading) {
      const isAccepted = read.toString('latin1', 0, SWITCHING.length) === SWITCHING
      this.#requests.settleUpgrade(isAccepted)
      this.#client.resume()
    }
    if (!this.#client.write(read)) this.#gate.pause()
  }

  #fail(why: string): void {
    this.#gate.destroy()
    if (this.#isAnswered || !this.#client.writable) this.#client.destroy()
    else refuse(this.#client, 502, why)
  }
}
const SWITCHING = 'HTTP/1.1 101'

function open({ host, port, isSecure }: Gate, { authorities }: ProxyParts): Socket {
  const options = { host, port, lookup, noDelay: true }
  return isSecure
    ? connectTls({
        ...options,
        servername: host,
        ALPNProtocols: ['http/1.1'],
        ...(authorities && { ca: [...authorities] }),
      })
    : connectTcp(options)
}

const lookup: LookupFunction = (name, options, callback) =>
  systemLookup(isLocal(name) ? 'localhost' : name, options, callback)

function refuseUnreadable(client: Socket, error: unknown): void {
  if (!(error instanceof FramingError)) throw error
  refuse(client, 400, `the request cannot be read: ${error.message}`)
}

function refuse(client: Socket, status: number, why: string): void {
  const body = `sallyport researcher-proxy: ${why}\n`
  const headers = [
    'Content-Type',
    'text/plain; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(body)),
  ]
  client.removeAllListeners('data')
  client.write(
    Buffer.from(responseHead(status, STATUS_TEXTS[status] ?? '', [...headers, 'Connection', 'close']) + body),
  )
  client.destroySoon()
}
