import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { newId, openDatabase, type Transaction } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { addOrganization, openTestDatabase, operatorContext } from '../support/database.ts'

const { database, committed, cipher, appUrl, ownerUrl } = await openTestDatabase()

const namesSeenBy = (orgId: string) =>
  database.read(orgId, (tx) => tx.query<{ name: string }>('SELECT name FROM organizations'))

test('a connection that breaks fails who uses it, and nothing else', async () => {
  const other = new Client({ connectionString: appUrl })
  await other.connect()
  const end = (pid: number | undefined) => other.query('SELECT pg_terminate_backend($1)', [pid])
  const readPid = async (tx: Transaction) =>
    (await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]?.pid
  await assert.rejects(
    database.readInstallation(async (tx) => {
      const pid = await readPid(tx)
      setTimeout(end, 50, pid)
      await tx.query('SELECT pg_sleep(5)')
    }),
  )
  await assert.rejects(
    database.readInstallation(async (tx) => {
      await end(await readPid(tx))
      // Until the connection is known to be gone.
      await sleep(100)
      await tx.query('SELECT 1')
    }),
  )
  assert.ok(await database.readInstallation(readPid))
  await other.end()
})

test('a server that answers no more is given up, and frees what a process that is gone has locked', async (t) => {
  const { hostname, port, searchParams } = new URL(appUrl)
  const socket = searchParams.get('host')
  let isSilent = false
  const relay = createServer((inner) => {
    const outer = socket ? connect(join(socket, '.s.PGSQL.5432')) : connect(Number(port), hostname)
    inner.on('close', () => outer.destroy()).pipe(outer)
    outer.on('data', (chunk) => isSilent || inner.write(chunk))
  })
  const relayed = await listenForTest(t, relay)
  const url = new URL(appUrl)
  url.host = `127.0.0.1:${relayed.port}`
  url.searchParams.delete('host')
  // Long enough for a busy machine to open a connection in.
  const remote = openDatabase({ url: url.href, cipher, answerTimeoutMs: 2_000 })
  t.after(() => remote.close())
  const show = 'SHOW idle_in_transaction_session_timeout'
  const shown = await remote.read(newId(), (tx) => tx.query(show))
  assert.deepEqual(shown, [{ idle_in_transaction_session_timeout: '1min' }])
  isSilent = true
  await assert.rejects(
    remote.read(newId(), (tx) => tx.query('SELECT 1')),
    // Whichever comes first: that of this statement, or of the one before it, which takes the connection with it.
    /timeout|terminated/,
  )
  isSilent = false
  assert.deepEqual(await remote.read(newId(), (tx) => tx.query('SELECT 1 AS one')), [{ one: 1 }])
})

test('migrating twice changes nothing', async () => {
  assert.deepEqual(await migrate(ownerUrl), [])
})

test('a transaction sees its own organization and can write into no other', async () => {
  const [one, two] = [await addOrganization(database, 'one'), await addOrganization(database, 'two')]
  assert.deepEqual(await namesSeenBy(one), [{ name: 'one' }])
  assert.deepEqual(await namesSeenBy(two), [{ name: 'two' }])
  const foreign = database.write(one, (tx) =>
    tx.query(
      'INSERT INTO credit_entries (org_id, id, amount, balance, reason, created_by) VALUES ($1, $2, 1, 1, $3, $3)',
      [two, newId(), 'x'],
    ),
  )
  await assert.rejects(foreign, /row-level security/)
  const renamed = await database.write(one, (tx) =>
    tx.query(`UPDATE organizations SET name = 'stolen' WHERE org_id = $1 RETURNING 1`, [two]),
  )
  assert.deepEqual(renamed, [])
})

test('what serves the installation reads every organization and writes none', async () => {
  await addOrganization(database, 'three')
  const rows = await database.readInstallation((tx) => tx.query('SELECT 1 FROM organizations'))
  assert.ok(rows.length >= 1)
  await assert.rejects(
    database.readInstallation((tx) => tx.query(`UPDATE organizations SET name = 'x'`)),
    /read-only|permission denied/,
  )
  assert.deepEqual(await database.writeInstallation((tx) => tx.query('SELECT 1 FROM organizations')), [])
})

test('a change that is not recorded is not kept', async () => {
  const orgId = await addOrganization(database, 'kept')
  await database.change(operatorContext(orgId), (tx) => tx.query(`UPDATE organizations SET name = 'lost'`))
  assert.deepEqual(await namesSeenBy(orgId), [{ name: 'kept' }])
})

test('entries are chained by hash, over the text that is kept', async () => {
  const orgId = await addOrganization(database, 'chained')
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      database.change(operatorContext(orgId), async (tx) =>
        tx.record({
          action: 'project.create',
          target: { kind: 'test', id: `${index}` },
          before: null,
          after: 'ü"\\',
        }),
      ),
    ),
  )
  const rows = await database.read(orgId, (tx) =>
    tx.query<{ sequence: number; entry: string; hash: Buffer }>('SELECT * FROM audit_log ORDER BY sequence'),
  )
  assert.deepEqual(
    rows.map((row) => row.sequence),
    Array.from({ length: 21 }, (_, index) => index + 1),
  )
  let hash = Buffer.alloc(0)
  for (const row of rows) {
    hash = createHash('sha256').update(hash).update(row.entry).digest()
    assert.deepEqual(row.hash, hash)
  }
  const tampered = database.write(orgId, (tx) => tx.query(`UPDATE audit_log SET entry = ''`))
  await assert.rejects(tampered, /permission denied/)
})

test('revisions are told in the order of the commits, without gaps', async () => {
  committed.length = 0
  await Promise.all(Array.from({ length: 10 }, (_, index) => addOrganization(database, `revision ${index}`)))
  const revisions = committed.map((change) => change.revision).toSorted((one, two) => one - two)
  assert.equal(new Set(revisions).size, 10)
  assert.equal((revisions.at(-1) ?? 0) - (revisions[0] ?? 0), 9)
  assert.equal(committed[0]?.items[0]?.[0], 'organization')
})

test('under one key, twenty requests at once do the work once', async () => {
  const orgId = await addOrganization(database, 'idempotent')
  let runs = 0
  const request = (requestHash = 'a') =>
    database.change(operatorContext(orgId, { idempotency: { key: 'k', requestHash } }), async (tx) => {
      runs += 1
      const id = newId()
      tx.record({ action: 'project.replace', target: { kind: 'test', id }, before: null, after: null })
      return { id }
    })
  const results = await Promise.all(Array.from({ length: 20 }, () => request()))
  assert.equal(runs, 1)
  assert.equal(new Set(results.map((result) => result.id)).size, 1)
  await assert.rejects(request('b'), { code: 'idempotency_conflict' })
})

test('every table is a tenant table by the rule, or says why not', async () => {
  const rows = await database.readInstallation((tx) =>
    tx.query<{ name: string; forced: boolean; policies: number; comment: string | null; org_first: boolean }>(
      `SELECT c.relname AS name, c.relforcerowsecurity AND c.relrowsecurity AS forced,
         (SELECT count(*)::int FROM pg_policy p WHERE p.polrelid = c.oid) AS policies,
         obj_description(c.oid) AS comment,
         EXISTS (SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
           WHERE i.indrelid = c.oid AND a.attname = 'org_id') AS org_first
       FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
         AND c.relname NOT LIKE 'kysely%'`,
    ),
  )
  assert.ok(rows.length > 15)
  for (const { name, forced, policies, comment, org_first } of rows)
    if (!comment?.startsWith('not a tenant table: '))
      assert.deepEqual(
        { name, forced, policies, org_first },
        { name, forced: true, policies: 2, org_first: true },
      )
})
