/** A gate before an origin that remembers what it saw. */
import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import type { TestContext } from 'node:test'
import type { RateLimitPolicy, SiteConfig } from '@sallyport/contract'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { request, sendRaw, startTestDataPlane, type TestGate } from './test-data-plane.ts'

interface Gate extends TestGate {
  /** Targets that the origin saw. */
  readonly seen: string[]
}

/** Opens one with a site as given. The origin takes a while at `/slow`. */
export async function openGate(
  context: TestContext,
  site: Partial<SiteConfig>,
  policy?: RateLimitPolicy,
  onUpgrade?: (socket: Duplex) => void,
): Promise<Gate> {
  const seen: string[] = []
  const origin = createServer((incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url}`)
    setTimeout(() => response.end('hello'), incoming.url === '/slow' ? 200 : 0)
  })
  if (onUpgrade) origin.on('upgrade', (_incoming, socket) => onUpgrade(socket))
  const { port } = await listenForTest(context, origin)
  const gate = await startTestDataPlane(context, port, { site })
  if (policy) gate.snapshots.apply({ type: 'put', kind: 'policy', id: policy.name, value: policy })
  const send = (line: string, ...headers: string[]) =>
    sendRaw(gate.port, request(line, 'Connection: close', ...headers))
  return { ...gate, seen, send }
}
