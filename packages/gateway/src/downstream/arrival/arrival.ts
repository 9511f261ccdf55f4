/** Where a connection comes from, as it is known before anything of the client's is read, and what that makes of its other end. */
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { plainAddress } from '@sallyport/policy'
import type { Peer, Proxied } from '../read-request.ts'
import type { ForwardedClients } from './forwarded-client.ts'

export interface Arrival {
  /** The client's, where it came by a load balancer that says so; otherwise that of whoever connected. */
  readonly clientAddress: string
  /** Where a listed reverse proxy is at that address: who asks it is in its headers. */
  readonly forwarded?: ForwardedClients
  /** How it came by the proxy port; absent where it did not. */
  readonly proxied?: Proxied | undefined
}

/** The other end of a connection without TLS. */
export const peerOf = ({ clientAddress, forwarded }: Arrival): Peer => ({
  ...{ clientAddress, secure: false, serverName: '', tls: '' },
  ...(forwarded && { forwarded }),
})

/** The other end of a TLS connection. */
export const peerOfTls = (socket: TLSSocket, { clientAddress, forwarded, proxied }: Arrival): Peer => ({
  clientAddress,
  secure: true,
  // Of the proxy itself, where each request says whom it is for.
  serverName: proxied?.kind === 'requests' ? '' : socket.servername || '',
  tls: socket.getProtocol() ?? '',
  ...(forwarded && { forwarded }),
  ...(proxied && { proxied }),
})

/** Who has connected; an IPv4 client of a dual-stack listener as it would be written without it. */
export const remoteAddressOf = ({ remoteAddress = '' }: Socket): string =>
  plainAddress(remoteAddress) ?? remoteAddress
