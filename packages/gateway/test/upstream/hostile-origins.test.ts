/**
 * Two thousand made-up sequences of answers of an origin that wants to deceive, between two researchers: neither ever sees a
 * byte of the other's exchange, nor the tail of an own one before where the gateway could know of it.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { FeedPut } from '@sallyport/contract'
import fc from 'fast-check'
import { type Exchange, endsConnection, isSane, sequences } from '../support/hostile-answers.ts'
import { HostileOrigin, markOf } from '../support/hostile-origin.ts'
import { hashOf, researcher, site, startTestDataPlane } from '../support/test-data-plane.ts'

const SEQUENCES = 2_000
const WORKERS = 32
const SEED = 1709

const keyOf = (sequence: number, who: string): string => `rk_live_${who}_${sequence}`
const hostOf = (worker: number): string => `worker-${worker}.gate.localhost`

/** Two researchers for each sequence, and a site with an origin for each worker. */
function* snapshot(ports: readonly number[]): Generator<FeedPut> {
  for (const [worker, port] of ports.entries()) {
    const value = site(port, { id: `worker-${worker}`, gatedName: hostOf(worker) })
    yield { type: 'put', kind: 'site', id: value.id, value }
  }
  for (let sequence = 0; sequence < SEQUENCES; sequence++)
    for (const who of ['A', 'B']) {
      const value = researcher({ id: `${who}-${sequence}`, keyHashes: [hashOf(keyOf(sequence, who))] })
      yield { type: 'put', kind: 'researcher', id: value.id, value }
    }
}

/** Sends one request on a connection of its own; everything that comes back. */
function ask(port: number, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (read) => (answer += read.toString('latin1')))
  socket.on('error', () => {})
  socket.on('close', () => resolve(answer))
  socket.write(text, 'latin1')
  return promise
}

function requestOf(worker: number, sequence: number, index: number, { who, asks }: Exchange): string {
  const method = { GET: 'GET', HEAD: 'HEAD', POST: 'POST', half: 'POST', upgrade: 'GET' }[asks]
  const lines = [
    `${method} /${sequence}/${index} HTTP/1.1`,
    `Host: ${hostOf(worker)}`,
    `Sallyport-Key: ${keyOf(sequence, who)}`,
    `Connection: ${asks === 'upgrade' ? 'Upgrade, close' : 'close'}`,
  ]
  if (asks === 'upgrade') lines.push('Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==')
  if (asks === 'POST' || asks === 'half') lines.push('Content-Length: 4')
  const body = { POST: 'body', half: 'bo' }[String(asks)] ?? ''
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

interface Seen {
  readonly exchanges: readonly Exchange[]
  readonly answers: readonly string[]
  /** For each connection, the exchanges that it carried. */
  readonly carried: readonly (readonly number[])[]
}

async function act(
  origin: HostileOrigin,
  port: number,
  worker: number,
  sequence: number,
  exchanges: Exchange[],
): Promise<Seen> {
  origin.begin(sequence, exchanges)
  const answers: string[] = []
  for (const [index, exchange] of exchanges.entries()) {
    answers.push(await ask(port, requestOf(worker, sequence, index, exchange)))
    await origin.answered()
  }
  const carried = [...origin.carried.values()].map((indexes) => [...indexes])
  origin.end()
  return { exchanges, answers, carried }
}

/** Marks may be cut by the ends of chunks. */
const withoutChunks = (answer: string): string => answer.replace(/\r\n[0-9a-f]+\r\n/g, '')

/** Throws where somebody saw what was not theirs. */
function judge({ exchanges, answers, carried }: Seen, sequence: number): void {
  /** The exchanges before it on the same connection. */
  const before = new Map<number, readonly number[]>()
  for (const indexes of carried)
    for (const [position, index] of indexes.entries()) before.set(index, indexes.slice(0, position))
  for (const [index, exchange] of exchanges.entries()) {
    const earlier = before.get(index) ?? []
    const own = new Set([markOf(sequence, index)])
    for (const one of earlier) {
      const past = exchanges[one]
      assert.equal(past?.who, exchange.who, 'one researcher a connection')
      assert.ok(past && !endsConnection(past), 'used again although it should have been closed')
      // What comes when the next request is on its way already could be its answer.
      if (past.tailWhen === 'next') own.add(markOf(sequence, one))
    }
    const answer = answers[index] ?? ''
    for (const [mark] of withoutChunks(answer).matchAll(/\{\d+:\d+\}/g))
      assert.ok(own.has(mark), `${mark} in the answer to ${index}`)
    if (!isSane(exchange) || !earlier.every((one) => isSane(exchanges[one] ?? exchange))) continue
    assert.match(answer, /^HTTP\/1\.1 200 S\r\n/)
    assert.ok(answer.endsWith(`\r\n\r\n${markOf(sequence, index)}.......${markOf(sequence, index)}`), answer)
  }
}

test('two thousand sequences of a hostile origin: nobody sees a byte of another', async (context) => {
  const all = fc.sample(sequences, { numRuns: SEQUENCES, seed: SEED })
  const origins = Array.from({ length: WORKERS }, () => new HostileOrigin())
  const ports = await Promise.all(origins.map((origin) => origin.listen(context)))
  const { port, snapshots } = await startTestDataPlane(context, 1)
  snapshots.apply(...snapshot(ports))
  let reused = 0
  let answered = 0
  let next = 0
  const work = async (origin: HostileOrigin, worker: number): Promise<void> => {
    for (let sequence = next++; sequence < SEQUENCES; sequence = next++) {
      const exchanges = all[sequence] ?? []
      const seen = await act(origin, port, worker, sequence, exchanges)
      try {
        judge(seen, sequence)
      } catch (error) {
        throw new Error(`sequence ${sequence}: ${JSON.stringify(seen, null, 1)}`, { cause: error })
      }
      reused += seen.carried.filter((indexes) => indexes.length > 1).length
      answered += seen.answers.filter((answer) => /^HTTP\/1\.1 [2345]\d\d S/m.test(answer)).length
    }
  }
  await Promise.all(origins.map(work))
  assert.ok(
    reused > SEQUENCES / 20,
    `only ${reused} connections were used again: the test would prove little`,
  )
  assert.ok(answered > SEQUENCES, `only ${answered} answers arrived: the test would prove little`)
})
