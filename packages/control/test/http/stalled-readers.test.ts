/** A stream whose reader takes nothing any more is ended, so that it does not keep its place for ever. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { newId } from '../../src/database/database.ts'
import { createApp } from '../../src/http/app.ts'
import type { Handlers } from '../../src/http/handlers.ts'
import { createLog } from '../../src/http/log.ts'
import { addOperations } from '../../src/http/operations.ts'

const STALLED_MS = 500
const PATH = '/api/Analytics/export'

const app = createApp({
  logger: createLog('silent'),
  readiness: async () => ({ database: true, trafficStore: true }),
  trustedProxies: [],
})
after(() => app.close())
const principal = {
  kind: 'user',
  orgId: newId(),
  userId: newId(),
  email: '',
  role: 'owner',
  token: '',
} as const
let stream = new Readable()
const handlers = { analyticsExport: async () => ({ stream, contentType: 'text/csv' }) }
await addOperations(app, {
  handlers: handlers as unknown as Handlers,
  authenticate: async () => principal,
  documents: { read: () => Promise.reject(new Error('nothing is uploaded')) },
  stalledReaderMs: STALLED_MS,
})
const address = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))

/** Asks for the export; the reader decides what it takes. */
function ask() {
  const socket = connect(Number(address.port), address.hostname)
  after(() => socket.destroy())
  socket.write(`GET ${PATH} HTTP/1.1\r\nhost: control\r\nauthorization: Bearer token\r\n\r\n`)
  return socket
}

test('a reader who takes nothing loses the stream', async () => {
  const endless = new Readable({ read: () => void endless.push(Buffer.alloc(65_536, 'x')) })
  stream = endless
  const closed = new Promise((done) => endless.once('close', done))
  ask().pause()
  await closed
})

test('a reader who takes a little now and then keeps it to the end', async () => {
  const lines = Array.from({ length: 6 }, (_, index) => `line ${index}\n`)
  stream = Readable.from(
    (async function* () {
      for (const line of lines) {
        await new Promise((done) => setTimeout(done, STALLED_MS / 2))
        yield line
      }
    })(),
  )
  const socket = ask()
  let got = ''
  for await (const chunk of socket.setEncoding('utf8')) {
    got += chunk
    if (got.endsWith('0\r\n\r\n')) break
  }
  for (const line of lines) assert.ok(got.includes(line), `${line} of ${got}`)
})
