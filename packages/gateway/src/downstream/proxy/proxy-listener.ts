/**
 * The proxy port: for clients that can be told a proxy with a user name and a password, and nothing else. It speaks TLS, because the
 * password is a key; it leads to gated names and nowhere else, and never connects to anything.
 */
import type { Server } from 'node:net'
import type { CreateListener } from '../arrival/arrivals.ts'
import type { Certificates } from '../tls/certificates.ts'
import {
  createTlsAcceptor,
  createTlsServer,
  HTTP1_PROTOCOLS,
  type TlsAcceptorServices,
} from '../tls/tls-acceptor.ts'
import { ProxyConnection, type ProxyServices } from './proxy-connection.ts'

/** Makes the listener. */
export function createProxyListener(
  certificates: Certificates,
  createListener: CreateListener,
  services: ProxyServices & TlsAcceptorServices,
): Server {
  const take = createTlsAcceptor(
    certificates,
    HTTP1_PROTOCOLS,
    services,
    (socket, { arrival }) => new ProxyConnection(socket, arrival, services),
  )
  return createTlsServer(createListener, take)
}
