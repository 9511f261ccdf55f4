/** A gate over plain HTTP or TLS with one researcher, and the proxy in front of it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { formatSecretKey, RESEARCHER_KEY_PREFIX } from '@sallyport/contract'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { makeCertificate } from '../../../gateway/test/support/certificates.ts'
import {
  HOST,
  hashOf,
  researcher,
  startTestDataPlane,
} from '../../../gateway/test/support/test-data-plane.ts'
import { startResearcherProxy } from '../../src/researcher-proxy/researcher-proxy.ts'

export const KEY = formatSecretKey(RESEARCHER_KEY_PREFIX, Buffer.alloc(24, 5))

/** Opens both; `gatedPort` is the port of the gate that the proxy was told of. */
export async function openProxiedGate(context: TestContext, originPort: number, isSecure = true) {
  const folder = temporaryFolder(context)
  makeCertificate(folder, 'gate', HOST)
  const settings = { tls: { directory: folder, port: 0 } }
  const gate = await startTestDataPlane(context, originPort, { settings })
  gate.snapshots.putResearcher(researcher({ keyHashes: [hashOf(KEY)] }))
  const gatedPort = isSecure ? (gate.dataPlane.https?.port ?? 0) : gate.port
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, `${KEY}\n`)
  const proxy = await startResearcherProxy(
    [`${isSecure ? 'https' : 'http'}://${HOST}:${gatedPort}/`],
    { keyFile, port: 0, folder: join(folder, 'kept'), authorities: join(folder, 'gate.crt') },
    {},
  )
  context.after(() => proxy.close())
  const certificate = proxy.certificateFile === null ? '' : readFileSync(proxy.certificateFile, 'utf8')
  const gateCertificate = readFileSync(join(folder, 'gate.crt'), 'utf8')
  return {
    ...gate,
    gatedPort,
    proxy,
    certificate,
    gateCertificate,
    folder,
    authority: `${HOST}:${gatedPort}`,
  }
}

/** Sends bytes to a port of loopback, and answers all that came back until the end of the connection, or until `until`. */
export function exchange(port: number, bytes: string | Buffer, until?: RegExp): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
  )
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    if (until?.test(text)) socket.destroy()
  })
  socket.on('error', () => {})
  socket.on('close', () => resolve(text))
  return promise
}

export interface Tunnelled {
  readonly proxy: { readonly port: number }
  readonly authority: string
  readonly certificate: string
}

/** Connects by CONNECT and TLS, as a tool does that trusts the proxy's certificate. */
export async function openTunnel(
  { proxy, authority, certificate }: Tunnelled,
  protocols: readonly string[] = [],
) {
  const below = connect(proxy.port, '127.0.0.1')
  below.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Connection: keep-alive\r\n\r\n`)
  const answer = await new Promise<string>((resolve) =>
    below.once('data', (chunk) => resolve(chunk.toString())),
  )
  if (!answer.startsWith('HTTP/1.1 200')) throw new Error(answer)
  const socket = connectTls({
    socket: below,
    servername: authority.split(':')[0] ?? '',
    ca: certificate,
    ALPNProtocols: [...protocols],
  })
  await new Promise((resolve, reject) => {
    socket.once('secureConnect', resolve)
    socket.once('error', reject)
  })
  socket.on('error', () => {})
  return socket
}
