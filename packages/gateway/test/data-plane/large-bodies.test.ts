/** Large bodies both ways, in memory that does not grow with them, at the pace of the slower side. */
import assert from 'node:assert/strict'
import { createServer, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { HOST, KEY, request, startTestDataPlane } from '../support/test-data-plane.ts'

/** `SALLYPORT_TEST_LARGE_MIB=1024` for the full measure. */
const MIB = Number(process.env.SALLYPORT_TEST_LARGE_MIB ?? 96)
const CHUNK = Buffer.alloc(256 * 1024, 'x')
const TOTAL = MIB * 1024 * 1024
const GROWTH_MAX = 120 * 1024 * 1024

async function bulkOrigin(context: TestContext): Promise<{ port: number; sent: () => number }> {
  let sent = 0
  const origin = createServer((message, response) => {
    if (message.method === 'POST') {
      let received = 0
      message.on('data', (chunk: Buffer) => (received += chunk.length))
      message.on('end', () => response.end(String(received)))
      return
    }
    const more = (): void => {
      while (sent < TOTAL && !response.destroyed) {
        sent += CHUNK.length
        if (!response.write(CHUNK)) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  })
  const { port } = await listenForTest(context, origin)
  return { port, sent: () => sent }
}

/** The highest resident memory of this process (client, gate and origin together) above what it was. */
function watchMemory(): () => number {
  const before = process.memoryUsage.rss()
  let highest = before
  const timer = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 10)
  return () => {
    clearInterval(timer)
    return highest - before
  }
}

test('a large download and a large upload pass whole, in constant memory', async (context) => {
  const origin = await bulkOrigin(context)
  const { port, recorder } = await startTestDataPlane(context, origin.port)
  const headers = { host: HOST, 'sallyport-key': KEY }
  const growth = watchMemory()
  const down = await fetchLength(port, headers)
  assert.equal(down, TOTAL)
  const up = await new Promise<string>((resolve, reject) => {
    const outgoing = httpRequest(
      { port, method: 'POST', headers: { ...headers, 'content-length': TOTAL } },
      (message) => {
        message.on('data', (chunk) => resolve(String(chunk)))
      },
    )
    outgoing.on('error', reject)
    let left = TOTAL
    const more = (): void => {
      while (left > 0) {
        left -= CHUNK.length
        if (!outgoing.write(CHUNK)) return void outgoing.once('drain', more)
      }
      outgoing.end()
    }
    more()
  })
  assert.equal(up, String(TOTAL))
  const grown = growth()
  assert.ok(grown < GROWTH_MAX, `${Math.round(grown / 1024 / 1024)} MiB`)
  const events = await recorder.waitFor(2)
  assert.deepEqual([events[0]?.responseBytes, events[1]?.requestBytes], [TOTAL, TOTAL])
})

function fetchLength(port: number, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ port, headers }, (message) => {
      let length = 0
      message.on('data', (chunk: Buffer) => (length += chunk.length))
      message.on('end', () => resolve(length))
      message.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

test('a client that does not read slows the origin down, and leaving ends it', async (context) => {
  const origin = await bulkOrigin(context)
  const { port, recorder } = await startTestDataPlane(context, origin.port)
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.write(request('GET /'))
  await sleep(500)
  const before = origin.sent()
  await sleep(300)
  assert.equal(origin.sent(), before)
  assert.ok(before < TOTAL / 2, `${before} bytes were taken from the origin for a client that reads nothing`)
  socket.destroy()
  const [event] = await recorder.waitFor(1)
  assert.equal(event?.reason, 'client_aborted')
})
