/** What cannot be an id costs no connection to the database: its 404 comes while all of them are busy. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { EXAMPLE, OPERATIONS } from '@sallyport/contract'
import { newId, openDatabase } from '../../src/database/database.ts'
import { createApp } from '../../src/http/app.ts'
import type { Handlers } from '../../src/http/handlers.ts'
import { createLog } from '../../src/http/log.ts'
import { addOperations } from '../../src/http/operations.ts'
import { readRow, readRowWith } from '../../src/http/rows.ts'
import { call } from '../support/control.ts'
import { openTestDatabase } from '../support/database.ts'
import { exampleRequest } from '../support/fixtures.ts'

const NOT_FOUND = { code: 'not_found' }

const { appUrl, cipher } = await openTestDatabase()
const database = openDatabase({ url: appUrl, cipher, connectionsMax: 1 })
after(() => database.close())
const orgId = newId()

test('a read by what is no id answers while the only connection is in use; by an id it waits', async () => {
  const free = Promise.withResolvers<void>()
  const holding = database.read(orgId, () => free.promise)
  const find = async (_tx: unknown, _orgId: string, id: string): Promise<string> => id
  const id = newId()
  const waiting = readRow(database, orgId, id, find)
  for (const text of ['', 'not-an-id', `${id}0`, `'${id}'`]) {
    await assert.rejects(readRow(database, orgId, text, find), NOT_FOUND, text)
    await assert.rejects(readRowWith(database, orgId, text, find, find), NOT_FOUND, text)
  }
  assert.equal(await Promise.race([waiting, Promise.resolve('still waiting')]), 'still waiting')
  free.resolve()
  await holding
  assert.equal(await waiting, id)
})

test('no operation is begun for a path that names what is no id', async () => {
  const begun: string[] = []
  const handlers = Object.fromEntries(
    OPERATIONS.map(({ id }) => [
      id,
      async () => {
        begun.push(id)
        throw new Error('begun')
      },
    ]),
  ) as unknown as Handlers
  const app = createApp({
    logger: createLog('silent'),
    readiness: async () => ({ database: true, trafficStore: true }),
    trustedProxies: [],
  })
  after(() => app.close())
  await addOperations(app, {
    handlers,
    authenticate: async () =>
      ({ kind: 'user', orgId, userId: newId(), email: '', role: 'owner', token: 'token' }) as const,
    documents: {
      read: async () => ({
        outline: { openapi: '3.1.0', info: {} },
        content: new Uint8Array(),
        sizeBytes: 0,
        format: 'openapi-3.1',
        operations: 0,
      }),
    },
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const named = OPERATIONS.filter(({ params }) => params)
  for (const operation of named)
    for (const [status, draw] of [
      [404, () => 'not-an-id'],
      [500, newId],
    ] as const) {
      const ids = Object.fromEntries(Object.keys(EXAMPLE).map((name) => [name, draw()]))
      const { path, options } = exampleRequest(operation, ids, 'token')
      const answer = await call(url, operation.method, path, options)
      assert.equal(answer.status, status, `${operation.id}: ${answer.text}`)
    }
  assert.deepEqual(
    begun,
    named.map(({ id }) => id),
  )
})
