/** Changes of one statement share transactions; each must be as if it had one of its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyAuditLog } from '../../src/audit/audit-verification.ts'
import { newId, type Transaction } from '../../src/database/database.ts'
import { openTestDatabase, operatorContext } from '../support/database.ts'

const { database, committed } = await openTestDatabase()
const orgId = newId()
const context = operatorContext(orgId)
const projects = Array.from({ length: 5 }, () => newId()).toSorted()
await database.write(orgId, async (tx) => {
  await tx.query('INSERT INTO organizations (org_id, name) VALUES ($1, $2)', [orgId, 'shared'])
  for (const id of projects)
    await tx.query(`INSERT INTO projects (org_id, id, name) VALUES ($1, $2, '')`, [orgId, id])
})

const lock = (tx: Transaction, _orgId: string, ids: readonly string[]) =>
  tx.query('SELECT 1 FROM projects WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE', [ids])

/** Adds a letter to the name of a project; `divisor` 0 makes the statement fail. */
const append = (id: string, letter: string, divisor = 1) =>
  database.changeAtOnce<{ revision: number; name: string }>(context, {
    record: {
      action: 'project.create',
      target: { kind: 'project', id },
      before: null,
      after: { letter },
      config: [['site', id]],
    },
    lock,
    async statement(tx, recorded) {
      const [row] = await tx.query<{ revision: number; name: string }>(
        `WITH changed AS (UPDATE projects SET name = name || $9, version = version + 1 / $11::int
           WHERE org_id = $1 AND id = $10 RETURNING name)
         SELECT name, record_change($1, $2, $3, $4, $5, $6, $7, $8) AS revision FROM changed`,
        [...recorded, letter, id, divisor],
      )
      return row
    },
  })

const nameOf = async (id: string) =>
  (
    await database.read(orgId, (tx) =>
      tx.query<{ name: string; version: number }>('SELECT name, version FROM projects WHERE id = $1', [id]),
    )
  )[0]

test('a hundred at once are a hundred: in order, each recorded, each with a revision of its own', async () => {
  const letters = Array.from({ length: 100 }, (_, index) => String.fromCodePoint(0x4e00 + index))
  const [id = ''] = projects
  const rows = await Promise.all(letters.map((letter) => append(id, letter)))
  assert.equal((await nameOf(id))?.name, letters.join(''), 'in the order in which they were asked for')
  assert.deepEqual(
    rows.map((row) => row?.name),
    letters.map((_, index) => letters.slice(0, index + 1).join('')),
    'each sees those before it',
  )
  const revisions = rows.map((row) => row?.revision ?? 0)
  assert.equal(new Set(revisions).size, 100)
  assert.deepEqual(
    committed.map(({ revision }) => revision),
    revisions,
  )
  const { isIntact, entries } = await verifyAuditLog(database, orgId)
  assert.deepEqual({ isIntact, entries }, { isIntact: true, entries: 100 })
})

test('one that fails takes no other with it, and leaves nothing', async () => {
  const [, id = ''] = projects
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => append(id, 'x', index % 7 === 3 ? 0 : 1)),
  )
  const failed = outcomes.filter(({ status }) => status === 'rejected')
  assert.equal(failed.length, 3)
  for (const outcome of failed)
    assert.match(outcome.status === 'rejected' ? String(outcome.reason) : '', /division by zero/)
  assert.deepEqual(await nameOf(id), { name: 'x'.repeat(17), version: 18 })
  assert.equal((await verifyAuditLog(database, orgId)).entries, 117)
})

test('what the database has cancelled is not done again by each', async () => {
  const [id = ''] = projects
  const before = await nameOf(id)
  let sent = 0
  const cancelled = () =>
    database.changeAtOnce<{ revision: number }>(context, {
      record: { action: 'project.replace', target: { kind: 'project', id }, before: null, after: null },
      lock,
      async statement(tx) {
        sent += 1
        await tx.query('SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(5)')
        return undefined
      },
    })
  const outcomes = await Promise.allSettled([append(id, ''), ...Array.from({ length: 10 }, cancelled)])
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 10)
  assert.equal(sent, 10)
  assert.equal((await nameOf(id))?.name, before?.name)
})

test('one that finds nothing to change records nothing', async () => {
  const before = await verifyAuditLog(database, orgId)
  const rows = await Promise.all([append(newId(), 'x'), append(newId(), 'y')])
  assert.deepEqual(rows, [undefined, undefined])
  assert.deepEqual(await verifyAuditLog(database, orgId), before)
})

test('beside changes that lock a thing first, none waits in a circle', async () => {
  const deadlocks = async () =>
    (
      await database.readInstallation((tx) =>
        tx.query<{ deadlocks: number }>(
          'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
        ),
      )
    )[0]?.deadlocks
  const before = await deadlocks()
  await Promise.all(
    Array.from({ length: 120 }, (_, index) => {
      const id = projects[2 + (index % 3)] ?? ''
      if (index % 2 === 0) return append(id, 'x')
      return database.change(context, async (tx) => {
        await tx.query('SELECT 1 FROM projects WHERE id = $1 FOR UPDATE', [id])
        await tx.query(`UPDATE projects SET name = name || 'y', version = version + 1 WHERE id = $1`, [id])
        tx.record({ action: 'project.delete', target: { kind: 'project', id }, before: null, after: null })
      })
    }),
  )
  const versions = await Promise.all(projects.slice(2).map(nameOf))
  assert.equal(
    versions.reduce((sum, row) => sum + (row?.version ?? 0), 0),
    123,
  )
  assert.equal(await deadlocks(), before)
  assert.equal((await verifyAuditLog(database, orgId)).isIntact, true)
})
