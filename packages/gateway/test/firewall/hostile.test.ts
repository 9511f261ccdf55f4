/** Mutated requests over real sockets: the gate goes on, and records each of them. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { benignRequests } from '../../../firewall/test/support/benign.ts'
import type { TestRequest } from '../../../firewall/test/support/corpus.ts'
import { createMutations } from '../../../firewall/test/support/mutations.ts'
import { HOST, KEY, openTestDoor } from '../support/test-door.ts'

/** `SALLYPORT_FUZZ_REQUESTS=100000` for the long run. */
const REQUESTS = Number(process.env.SALLYPORT_FUZZ_REQUESTS ?? 1_000)
const CONNECTIONS = 4

test(`${REQUESTS} mutated requests through the gate, in observe and in enforce`, async (context) => {
  const origin = createServer((incoming, response) => {
    incoming.resume()
    incoming.on('end', () => response.end('ok'))
  })
  await new Promise<void>((ready) => origin.listen(0, '127.0.0.1', ready))
  context.after(() => origin.close())
  context.after(() => origin.closeAllConnections())
  const { port } = origin.address() as AddressInfo
  const seeds = benignRequests(320, 5)
  const seen = new Map<string, number>()
  for (const mode of ['observe', 'enforce'] as const) {
    const gate = await openTestDoor(context, port, {
      site: { firewall: { mode, overrides: [], exclusions: [] } },
    })
    const { mutated } = createMutations(mode.length)
    const half = REQUESTS / 2
    const worker = async (first: number): Promise<void> => {
      for (let index = first; index < half; index += CONNECTIONS) {
        const seed = seeds[index % seeds.length]
        if (seed) await send(gate.port, bytesOf(mutated(seed)))
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => worker(index)))
    const events = await gate.recorder.waitFor(half)
    assert.equal(events.length, half)
    for (const { inspection, outcome, hits } of events) {
      const key = `${mode} ${outcome} ${inspection}`
      seen.set(key, (seen.get(key) ?? 0) + 1)
      assert.ok(hits.every(({ excerpt }) => excerpt.isWellFormed()))
      // What the gate itself refused was not inspected; all else was, and says how far.
      assert.ok(outcome === 'gate' || inspection === 'full' || inspection === 'partial', key)
    }
  }
  context.diagnostic(JSON.stringify(Object.fromEntries(seen)))
})

/** Headers that are about the connection, which is ours. */
const OWN = /^(?:host|connection|content-length|transfer-encoding|expect|upgrade|te)$/i

function bytesOf({ head, body }: TestRequest): Buffer {
  const lines = [
    `${head.method} ${head.target} HTTP/1.1`,
    `Host: ${HOST}`,
    `Sallyport-Key: ${KEY}`,
    'Connection: close',
    `Content-Length: ${body.length}`,
  ]
  for (let index = 0; index + 1 < head.rawHeaders.length; index += 2) {
    const name = head.rawHeaders[index] ?? ''
    if (!OWN.test(name)) lines.push(`${name}: ${head.rawHeaders[index + 1] ?? ''}`)
  }
  return Buffer.concat([Buffer.from([...lines, '', ''].join('\r\n'), 'latin1'), body])
}

/** Sends bytes on a connection of their own, and waits until the gate has closed it. */
const send = (port: number, bytes: Buffer): Promise<void> =>
  new Promise((done, fail) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', () => {})
    socket.on('error', () => {})
    socket.on('close', () => done())
    socket.setTimeout(15_000, () => {
      socket.destroy()
      fail(new Error(`no answer to ${bytes.toString('latin1', 0, 200)}`))
    })
  })
