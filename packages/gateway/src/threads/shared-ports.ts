/**
 * Ports that several threads listen on. The system lets any program of the same user share such a port in silence, so it is tried
 * for this one alone first.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type ListenOptions } from 'node:net'
import type { GatewaySettings } from '../settings.ts'

/** Whether this system lets several threads listen on one port. */
export async function canSharePorts(): Promise<boolean> {
  try {
    await tryPort({ port: 0, host: '127.0.0.1', reusePort: true })
    return true
  } catch {
    return false
  }
}

/** The settings with every port that is to be shared; rejects where another program has one. */
export async function claimSharedPorts(settings: GatewaySettings): Promise<GatewaySettings> {
  const { host, tls } = settings
  const port = await tryPort({ port: settings.port, host })
  if (!tls) return { ...settings, port }
  const tlsPort = await tryPort({ port: tls.port, host })
  const proxyPort = tls.proxyPort === undefined ? undefined : await tryPort({ port: tls.proxyPort, host })
  return { ...settings, port, tls: { ...tls, port: tlsPort, proxyPort } }
}

async function tryPort(options: ListenOptions): Promise<number> {
  const server = createServer()
  server.listen(options)
  await once(server, 'listening')
  // It listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
