/**
 * A new connection to an origin: its name resolved, every address judged, one of the permitted ones pinned for as long
 * as the connection lives: the first that takes it. Resolved and judged again for new connections, so a name that
 * changes its mind (DNS rebinding) gains nothing.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import type { OriginConfig } from '@sallyport/contract'
import type { AddressPolicy } from '@sallyport/policy'
import { READ_BUFFER, viewOfRead } from '../../exchange/shared-read-buffer.ts'
import { codeOf, type NameLookups } from './name-lookups.ts'
import { OriginError } from './origin-error.ts'
import type { TlsSession } from './tls-session.ts'

export interface ConnectOptions {
  readonly names: NameLookups
  readonly addresses: AddressPolicy
  readonly timeoutMs: number
  /** Whom to trust for certificates of origins. */
  readonly secureContext: SecureContext
  /** The wildcard that the host is one of; absent, or the host itself, where it is of none. */
  readonly zone?: string
  /** What may be resumed, and where a new session is kept. */
  readonly tlsSession: TlsSession
  /** Gets what arrives, valid during the call only. False stops the reading until `resume`. Absent where the socket is read otherwise. */
  readonly onRead?: (read: Buffer) => boolean
  /** What may be spoken over TLS; HTTP/1.1 where that is absent. */
  readonly protocols?: readonly string[]
}

/** Connects, or rejects with an OriginError. The socket is ready to write on. */
export async function connectToOrigin(origin: OriginConfig, options: ConnectOptions): Promise<Socket> {
  const deadline = performance.now() + options.timeoutMs
  const addresses = await permittedAddresses(origin.host, options)
  for (const [index, address] of addresses.entries()) {
    const leftMs = Math.max(1, deadline - performance.now())
    if (index === addresses.length - 1) return await open(origin, address, options, leftMs)
    try {
      return await open(origin, address, options, leftMs / 2)
    } catch (error) {
      // Of a certificate the next address would have the same.
      if (!isOfAddress(error)) throw error
    }
  }
  throw new OriginError('origin_unreachable', `${origin.host} has no address`)
}

const isOfAddress = (error: unknown): boolean =>
  error instanceof OriginError && (error.reason === 'origin_unreachable' || error.reason === 'origin_timeout')

/** Where an origin may be connected to, in the order of the resolver. */
async function permittedAddresses(host: string, options: ConnectOptions): Promise<readonly string[]> {
  const found = await withTimeout(options.names.addressesOf(host, options.zone), options.timeoutMs)
  const { permitted, forbidden } = options.addresses.choose(found)
  if (permitted.length > 0) return permitted
  if (forbidden === '') throw new OriginError('origin_unreachable', `${host} has no address`)
  throw new OriginError('origin_forbidden_address', `${host} resolves to ${forbidden}`)
}

function withTimeout<Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value> {
  const { promise: raced, resolve, reject } = Promise.withResolvers<Value>()
  const timer = setTimeout(() => reject(new OriginError('origin_timeout', 'name resolution')), timeoutMs)
  promise.then(resolve, reject).finally(() => clearTimeout(timer))
  return raced
}

function open(
  origin: OriginConfig,
  address: string,
  options: ConnectOptions,
  timeoutMs: number,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = openSocket(origin, address, options)
  const timer = setTimeout(() => socket.destroy(new OriginError('origin_timeout', 'connecting')), timeoutMs)
  const finish = (error?: Error): void => {
    clearTimeout(timer)
    socket.removeListener('error', finish)
    socket.removeListener('close', closed)
    if (!error) {
      resolve(socket)
      return
    }
    socket.on('error', () => {}) // what follows the first error tells nothing more
    socket.destroy()
    reject(toOriginError(error))
  }
  const closed = (): void => finish(new OriginError('origin_unreachable', 'closed while connecting'))
  socket.once(origin.scheme === 'http' ? 'connect' : 'secureConnect', () => finish())
  socket.once('error', finish)
  socket.once('close', closed)
  return promise
}

/** Node checks the certificate against `servername`, or against the address where the origin is an address literal. */
function openSocket(origin: OriginConfig, address: string, options: ConnectOptions): Socket {
  const { onRead } = options
  const callback = (bytesRead: number): boolean => onRead?.(viewOfRead(bytesRead)) ?? true
  const onread = onRead && { onread: { buffer: READ_BUFFER, callback } }
  const target = { host: address, port: origin.port, noDelay: true, ...onread }
  if (origin.scheme === 'http') return connectTcp(target)
  const named = isIP(origin.host) === 0 ? { servername: origin.host } : {}
  const { secureContext, tlsSession } = options
  const resumed = tlsSession.current(performance.now())
  const socket = connectTls({
    ...target,
    ...named,
    secureContext,
    ALPNProtocols: [...(options.protocols ?? ['http/1.1'])],
    rejectUnauthorized: true,
    ...(resumed ? { session: resumed.ticket } : {}),
  })
  // Node emits sessions only after the certificate was verified, and verifies it only where it was presented.
  socket.on('session', (ticket) => {
    const now = performance.now()
    tlsSession.keep(ticket, resumed && socket.isSessionReused() ? resumed.verifiedAt : now, now)
  })
  return socket
}

/** Error codes of OpenSSL's certificate verification, and Node's for a name that the certificate does not cover. */
const CERTIFICATE_CODES =
  /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH)/

function toOriginError(error: Error): OriginError {
  if (error instanceof OriginError) return error
  const code = codeOf(error)
  if (CERTIFICATE_CODES.test(code)) return new OriginError('origin_certificate', code)
  if (code === 'ETIMEDOUT') return new OriginError('origin_timeout', 'connecting')
  return new OriginError('origin_unreachable', code)
}
