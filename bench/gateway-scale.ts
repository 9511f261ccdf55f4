/**
 * Ten sites and ten researchers against 10,000 and 100,000: throughput in rounds that take turns, and memory. Then a good
 * client's latency beside 10,000 idle connections and 2,000 heads that never end (as many as the descriptor limit allows).
 */
import { execFileSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { freePorts } from '../test/support/installation.ts'
import { type BenchGateway, residentMiB, startBenchGateway } from './support/bench-gateway.ts'
import { HOST, KEY } from './support/gateway/control-stub.ts'
import { requirePrograms, runWrk, startNginx } from './support/programs.ts'
import { median, quantile } from './support/statistics.ts'

const ROUNDS = 3
const LOAD = { connections: 32, seconds: 3 }
const HEADERS = { Host: HOST, 'Sallyport-Key': KEY }
const IDLE = 10_000
const SLOW = 2_000
const LATENCIES = 1_000

requirePrograms('nginx', 'wrk')
const [originPort = 0] = await freePorts(1)
const origin = await startNginx(
  `server { listen 127.0.0.1:${originPort}; location / { return 200 "a small page\n"; } }`,
)
const small = await startBenchGateway({ originPort, sites: 10, researchers: 10 })
const large = await startBenchGateway({ originPort, sites: 10_000, researchers: 100_000 })
try {
  await compareSizes()
  await compareCrowds(small)
} finally {
  await small.stop()
  await large.stop()
  await origin.stop()
}

async function compareSizes(): Promise<void> {
  await untilServed(large)
  console.log(
    `  memory before load          ${residentMiB(large.pid).toFixed(0)} MiB, ${residentMiB(small.pid).toFixed(0)} with ten`,
  )
  const rates: [number, number][] = []
  for (let round = 0; round < ROUNDS; round++) rates.push([await rate(small), await rate(large)])
  const share = median(rates.map(([few, many]) => many / few))
  console.log(`  throughput                  ${share.toFixed(2)} of that with ten`)
  console.log(
    `  memory after load           ${residentMiB(large.pid).toFixed(0)} MiB, ${residentMiB(small.pid).toFixed(0)} with ten`,
  )
}

async function untilServed({ url }: BenchGateway): Promise<void> {
  while ((await runWrk(url, HEADERS, { connections: 1, seconds: 1 })).refused > 0) await delay(100)
}

async function rate({ url }: BenchGateway): Promise<number> {
  await runWrk(url, HEADERS, { ...LOAD, seconds: 1 })
  return (await runWrk(url, HEADERS, LOAD)).requestsPerSecond
}

async function compareCrowds({ url }: BenchGateway): Promise<void> {
  const port = Number(new URL(url).port)
  const alone = await latencies(port)
  const room = Number(execFileSync('sh', ['-c', 'ulimit -n']).toString()) - 1_000
  const idle = await crowd(port, Math.min(IDLE, room - SLOW), '')
  const slow = await crowd(port, SLOW, `GET / HTTP/1.1\r\nHost: ${HOST}\r\n`)
  const beside = await latencies(port)
  for (const socket of [...idle, ...slow]) socket.destroy()
  console.log(
    `  a good client's p99         ${quantile(alone, 0.99).toFixed(2)} ms alone, ` +
      `${quantile(beside, 0.99).toFixed(2)} ms beside ${idle.length} idle connections and ${slow.length} slow heads`,
  )
}

async function crowd(port: number, size: number, sends: string): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let index = 0; index < size; index++) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
    if (sends !== '') socket.write(sends)
    sockets.push(socket)
  }
  return sockets
}

/** One request after the other on one connection. */
async function latencies(port: number): Promise<number[]> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  const request = `GET / HTTP/1.1\r\nHost: ${HOST}\r\nSallyport-Key: ${KEY}\r\n\r\n`
  const times: number[] = []
  for (let index = 0; index < LATENCIES; index++) {
    const start = performance.now()
    socket.write(request)
    await new Promise((resolve) => socket.once('data', resolve))
    times.push(performance.now() - start)
  }
  socket.destroy()
  return times
}
