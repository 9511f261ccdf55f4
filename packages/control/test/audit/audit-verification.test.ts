import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, test } from 'node:test'
import { verifyAuditLog } from '../../src/audit/audit-verification.ts'
import { openTestDatabase } from '../support/database.ts'

const ENTRIES = 12

const { database, owner } = await openTestDatabase()
let orgId: string

beforeEach(async () => {
  orgId = randomUUID()
  await addEntry(0, 'INSERT INTO organizations (org_id, name) VALUES ($1, $2)')
  for (let number = 1; number < ENTRIES; number++) await addEntry(number)
})

const addEntry = (number: number, statement = 'UPDATE organizations SET name = $2 WHERE org_id = $1') =>
  database.change(
    { orgId, actor: { kind: 'user', id: 'u', email: 'ada@example.com' }, requestId: 'r' },
    async (tx) => {
      await tx.query(statement, [orgId, `name ${number}`])
      tx.record({
        action: 'organization.update',
        target: { kind: 'organization', id: orgId },
        before: { name: `name ${number - 1}` },
        after: { name: `name ${number}` },
      })
    },
  )

/** What an attacker with the owner's password does: nothing in the database refuses it. */
const tamper = (statement: string, ...values: unknown[]) => owner.query(statement, [orgId, ...values])

test('an untouched log is intact, and its head does not change until there is another entry', async () => {
  const first = await verifyAuditLog(database, orgId)
  assert.deepEqual(first, { isIntact: true, entries: ENTRIES, head: first.head, firstBroken: null })
  assert.match(first.head, /^[0-9a-f]{64}$/)
  assert.deepEqual(await verifyAuditLog(database, orgId, first.head), first)
  await addEntry(ENTRIES)
  const later = await verifyAuditLog(database, orgId, first.head)
  assert.equal(later.isIntact, true)
  assert.notEqual(later.head, first.head)
})

test('an organization without entries has an intact log', async () => {
  const empty = await verifyAuditLog(database, randomUUID())
  assert.deepEqual(empty, { isIntact: true, entries: 0, head: '', firstBroken: null })
})

describe('tampering is found at the entry where it begins', () => {
  const cases: Record<string, { statement: string; values?: unknown[]; firstBroken: number }> = {
    'an edited entry': {
      statement: `UPDATE audit_log SET entry = replace(entry, 'name 5', 'name X') WHERE org_id = $1 AND sequence = 6`,
      firstBroken: 6,
    },
    'an edited entry with a hash to match': {
      statement: `UPDATE audit_log SET entry = entry || ' ', hash = sha256(
          (SELECT hash FROM audit_log WHERE org_id = $1 AND sequence = 5) || convert_to(entry || ' ', 'UTF8'))
        WHERE org_id = $1 AND sequence = 6`,
      firstBroken: 7,
    },
    'an edited column': {
      statement: `UPDATE audit_log SET actor = 'grace@example.com' WHERE org_id = $1 AND sequence = 4`,
      firstBroken: 4,
    },
    'an edited time': {
      statement: `UPDATE audit_log SET time = time + interval '1 s' WHERE org_id = $1 AND sequence = 4`,
      firstBroken: 4,
    },
    'a removed entry': {
      statement: 'DELETE FROM audit_log WHERE org_id = $1 AND sequence = 3',
      firstBroken: 3,
    },
    'a removed first entry': {
      statement: 'DELETE FROM audit_log WHERE org_id = $1 AND sequence = 1',
      firstBroken: 1,
    },
    'an entry moved to the end': {
      statement: `WITH gone AS (DELETE FROM audit_log WHERE org_id = $1 AND sequence = 12)
        UPDATE audit_log SET sequence = CASE sequence WHEN 3 THEN 20 ELSE sequence END WHERE org_id = $1`,
      firstBroken: 3,
    },
    'an entry before the first': {
      statement: `INSERT INTO audit_log SELECT org_id, 0, entry, hash, time, actor, action, target
        FROM audit_log WHERE org_id = $1 AND sequence = 1`,
      firstBroken: 1,
    },
    'two entries that changed places': {
      statement: `UPDATE audit_log SET entry = other.entry, time = other.time FROM audit_log other
        WHERE audit_log.org_id = $1 AND other.org_id = $1 AND audit_log.sequence + other.sequence = 15
          AND audit_log.sequence IN (7, 8)`,
      firstBroken: 7,
    },
    'a cut end': {
      statement: `DELETE FROM audit_log WHERE org_id = $1 AND sequence > ${ENTRIES - 2}`,
      firstBroken: ENTRIES - 1,
    },
    'an end that was added by hand': {
      statement: `INSERT INTO audit_log SELECT org_id, sequence + 1, entry, hash, time, actor, action, target
        FROM audit_log WHERE org_id = $1 AND sequence = ${ENTRIES}`,
      firstBroken: ENTRIES + 1,
    },
    'a removed head': { statement: 'DELETE FROM audit_heads WHERE org_id = $1', firstBroken: ENTRIES + 1 },
    'all entries removed': { statement: 'DELETE FROM audit_log WHERE org_id = $1', firstBroken: 1 },
  }
  for (const [name, { statement, values = [], firstBroken }] of Object.entries(cases))
    test(name, async () => {
      await tamper(statement, ...values)
      const { isIntact, firstBroken: found } = await verifyAuditLog(database, orgId)
      assert.deepEqual({ isIntact, found }, { isIntact: false, found: firstBroken })
    })
})

test('a cut end whose head was cut too is found by who knows the head', async () => {
  const { head } = await verifyAuditLog(database, orgId)
  await tamper(`DELETE FROM audit_log WHERE org_id = $1 AND sequence > ${ENTRIES - 3}`)
  await tamper(`UPDATE audit_heads SET sequence = ${ENTRIES - 3},
    hash = (SELECT hash FROM audit_log WHERE org_id = $1 AND sequence = ${ENTRIES - 3}) WHERE org_id = $1`)
  assert.equal((await verifyAuditLog(database, orgId)).isIntact, true, 'the log alone cannot tell')
  const verified = await verifyAuditLog(database, orgId, head)
  assert.deepEqual([verified.isIntact, verified.firstBroken], [false, ENTRIES - 2])
})

test('a log longer than a page is read to its end', async () => {
  await tamper(
    `SELECT record_change($1, json_build_object('time', to_char(timestamptz '2026-01-01Z' AT TIME ZONE 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'actor', json_build_object('email', 'x'), 'action', 'a',
        'target', json_build_object('id', 't'), 'number', number)::text,
      '2026-01-01Z', 'x', 'a', 't', '{}', '{}') FROM generate_series(1, 2500) AS number`,
  )
  const verified = await verifyAuditLog(database, orgId)
  assert.deepEqual([verified.isIntact, verified.entries], [true, ENTRIES + 2500])
  await tamper(`UPDATE audit_log SET action = 'b' WHERE org_id = $1 AND sequence = 2400`)
  assert.equal((await verifyAuditLog(database, orgId)).firstBroken, 2400)
})
