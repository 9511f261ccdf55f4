/** What is away or too busy for the moment is a 503, and no fault of ours. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId, openDatabase } from '../../src/database/database.ts'
import { createApp } from '../../src/http/app.ts'
import { createLog } from '../../src/http/log.ts'
import { createPasswordHasher } from '../../src/identity/sign-in/passwords.ts'
import { createCipher } from '../../src/secrets/cipher.ts'
import { openTestDatabase } from '../support/database.ts'

const app = createApp({
  logger: createLog('silent'),
  readiness: async () => ({ database: true, trafficStore: true }),
  trustedProxies: [],
})
const database = openDatabase({
  url: 'postgres://sallyport@database.invalid/sallyport',
  cipher: createCipher(randomBytes(32)),
})
const { database: there } = await openTestDatabase()
const end = 'SELECT pg_terminate_backend(pg_backend_pid())'
const hasher = createPasswordHasher({ runningMax: 1, waitingMax: 0 })
app.get('/away', () => database.read(newId(), (tx) => tx.query('SELECT 1')))
app.get('/broken', () => there.read(newId(), (tx) => tx.query(end)))
app.get('/broken-before', () =>
  there.readInstallation(async (tx) => {
    await tx.query(end).catch(() => undefined)
    await sleep(50)
    return tx.query('SELECT 1')
  }),
)
app.get('/busy', () => Promise.all([hasher.hash('one password'), hasher.hash('another password')]))
after(async () => {
  await app.close()
  await database.close()
})

for (const [what, path] of [
  ['a database whose name is not known any more', '/away'],
  ['a connection that breaks under a statement', '/broken'],
  ['a connection that has broken between two statements', '/broken-before'],
  ['more passwords than can wait to be hashed', '/busy'],
] as const)
  test(what, async () => {
    const answer = await app.inject(path)
    assert.equal(answer.statusCode, 503, answer.body)
    assert.equal(answer.json().code, 'unavailable')
  })
