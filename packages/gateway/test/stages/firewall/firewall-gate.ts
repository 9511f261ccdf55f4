/** A gate with firewall settings, for tests. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { FirewallSettings, SiteConfig } from '@sallyport/contract'
import { request, sendRaw, startTestDataPlane } from '../../support/test-data-plane.ts'

/** Every connection is closed after the answer, however long that takes. */
export const CLOSED_MS = 30_000

/** Opens a gate of one site in front of an origin that notes what reaches it whole. */
export async function openFirewallGate(
  context: TestContext,
  firewall: Partial<FirewallSettings>,
  site: Partial<SiteConfig> = {},
) {
  const seen: { readonly target: string; readonly body: string }[] = []
  const origin = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk) => chunks.push(chunk))
    incoming.on('end', () => {
      seen.push({ target: incoming.url ?? '', body: Buffer.concat(chunks).toString() })
      response.end('hello')
    })
  })
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve))
  context.after(() => origin.close())
  context.after(() => origin.closeAllConnections())
  const settings: FirewallSettings = { mode: 'observe', overrides: [], exclusions: [], ...firewall }
  const gate = await startTestDataPlane(context, (origin.address() as AddressInfo).port, {
    site: { ...site, firewall: settings },
  })
  const get = (target: string, ...headers: string[]) =>
    sendRaw(gate.port, request(`GET ${target}`, 'Connection: close', ...headers), CLOSED_MS)
  const post = (target: string, type: string, body: string, ...headers: string[]) =>
    sendRaw(
      gate.port,
      request(
        `POST ${target}`,
        'Connection: close',
        `Content-Type: ${type}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        ...headers,
      ) + body,
      CLOSED_MS,
    )
  return { ...gate, seen, get, post }
}
