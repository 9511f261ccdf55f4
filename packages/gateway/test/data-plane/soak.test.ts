/**
 * The data plane under load for a while: memory flat, no descriptor left behind, no answer of 500 and above that nobody asked
 * for. Seconds here; `SALLYPORT_TEST_SOAK_SECONDS=1800` for the full measure.
 */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { Agent, createServer, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { HOST, KEY, request, startTestDataPlane } from '../support/test-data-plane.ts'

const SECONDS = Number(process.env.SALLYPORT_TEST_SOAK_SECONDS ?? 6)
const CLIENTS = 16
const HEAP_GROWTH_MAX = 8 * 1024 * 1024
const KINDS = ['get', 'post', 'abort', 'stranger'] as const

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const descriptors = (): number => readdirSync('/proc/self/fd').length

function liveBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('a long run leaves nothing behind', async (context) => {
  const origin = createServer((message, response) => {
    if (message.url === '/never') return
    message.resume().on('end', () => response.end('a small page'))
  })
  const { port: originPort } = await listenForTest(context, origin)
  const { port, recorder } = await startTestDataPlane(context, originPort)
  const agent = new Agent({ keepAlive: true })
  const statuses = new Map<number, number>()
  const run = async (seconds: number): Promise<void> => {
    const until = performance.now() + seconds * 1_000
    const client = async (index: number): Promise<void> => {
      for (let round = index; performance.now() < until; round++) {
        const status = await once(port, agent, KINDS[round % KINDS.length] ?? 'get')
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        // The recorder of the tests keeps everything; the journal does not.
        recorder.events.length = 0
        recorder.intents.length = 0
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)))
    await sleep(300)
  }
  await run(SECONDS / 3)
  const before = { bytes: liveBytes(), descriptors: descriptors() }
  await run((SECONDS * 2) / 3)
  const grown = liveBytes() - before.bytes
  assert.ok(grown < HEAP_GROWTH_MAX, `the heap grew by ${Math.round(grown / 1024)} KiB`)
  assert.ok(descriptors() <= before.descriptors + CLIENTS, 'descriptors were left behind')
  assert.deepEqual([...statuses.keys()].sort(), [0, 200, 401])
  agent.destroy()
})

/** One request; 0 for one that the client breaks off. */
function once(port: number, agent: Agent, kind: (typeof KINDS)[number]): Promise<number> {
  if (kind === 'abort')
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.write(request('GET /never'))
      setTimeout(() => socket.destroy(), 5)
      socket.on('close', () => resolve(0))
    })
  const headers = kind === 'stranger' ? { host: HOST } : { host: HOST, 'sallyport-key': KEY }
  const method = kind === 'post' ? 'POST' : 'GET'
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ port, agent, method, headers }, (message) => {
      message.resume().on('end', () => resolve(message.statusCode ?? 0))
    })
    outgoing.on('error', reject)
    outgoing.end(kind === 'post' ? 'a body' : undefined)
  })
}
