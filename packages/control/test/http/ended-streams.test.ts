/** What is written as it comes breaks off when its caller would not be let in any more, whichever operation it is. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { OPERATIONS, type Role } from '@sallyport/contract'
import { newId } from '../../src/database/database.ts'
import { createApp } from '../../src/http/app.ts'
import type { Handlers } from '../../src/http/handlers.ts'
import { createLog } from '../../src/http/log.ts'
import { addOperations } from '../../src/http/operations.ts'
import { AuthenticationError } from '../../src/identity/principal.ts'

/** The live tail ends in order instead, which is in `features/analytics/routes.test.ts`. */
const STREAMS = OPERATIONS.filter(({ format, id }) => format === 'stream' && id !== 'analyticsTail')

const app = createApp({
  logger: createLog('silent'),
  readiness: async () => ({ database: true, trafficStore: true }),
  trustedProxies: [],
})
after(() => app.close())
/** Of whoever has the token; null once it is no longer good. */
let role: Role | null = 'owner'
let stream = new Readable()
const answer = async () => ({ stream, contentType: 'text/csv' })
await addOperations(app, {
  handlers: Object.fromEntries(OPERATIONS.map(({ id }) => [id, answer])) as unknown as Handlers,
  authenticate: async () => {
    if (role === null) throw new AuthenticationError('unauthorized', 'revoked')
    return { kind: 'user', orgId: newId(), userId: newId(), email: '', role, token: '' }
  },
  documents: { read: () => Promise.reject(new Error('nothing is uploaded')) },
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })

/** Begins to read; what is read is endless. */
async function ask(path: string): Promise<IncomingMessage> {
  role = 'owner'
  const endless = new Readable({ read: () => void endless.push(Buffer.alloc(65_536, 'x')) })
  stream = endless
  const asked = get(`${url}${path.replaceAll(/\{\w+\}/g, newId())}`, {
    headers: { authorization: 'Bearer token' },
    agent: false,
  })
  const [incoming] = (await once(asked, 'response')) as [IncomingMessage]
  assert.equal(incoming.statusCode, 200)
  return incoming
}

/** A viewer may read the record, and not carry it off. */
const LOSSES: readonly (Role | null)[] = [null, 'viewer']

for (const { id, path } of STREAMS)
  test(`${id} breaks off once its token is no longer good, or its role no longer includes it`, async () => {
    for (const left of LOSSES) {
      const incoming = await ask(path)
      role = left
      // Nothing is read until then.
      await once(stream, 'close', { signal: AbortSignal.timeout(5_000) })
      await assert.rejects(async () => {
        for await (const _chunk of incoming);
      }, /aborted/)
    }
  })

test('what a lower role still includes goes on', async () => {
  const incoming = await ask('/api/Analytics/export')
  role = 'admin'
  for (const end = performance.now() + 1_500; performance.now() < end; ) await once(incoming, 'data')
  assert.equal(stream.destroyed, false)
  incoming.destroy()
})
