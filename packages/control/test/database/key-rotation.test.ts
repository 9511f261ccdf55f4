/** A change of the secret key: what was sealed is sealed anew, and then the earlier key can go. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { openDatabase } from '../../src/database/database.ts'
import { resealAll } from '../../src/database/reseal.ts'
import { createCipher } from '../../src/secrets/cipher.ts'
import { DESTINATION_KEYS, DESTINATION_TARGET, SEALED_COLUMNS } from '../../src/secrets/sealed-columns.ts'
import { authorization, Browser, exchangeCode, signIn, tokenRequest } from '../identity/support/browser.ts'
import { addMember, createInstallation } from '../identity/support/control.ts'
import { addOrganization } from '../support/database.ts'

const installation = await createInstallation()
after(() => installation.close())
const [first, second] = [randomBytes(32), randomBytes(32)]
const CREDENTIALS = 'the words nobody may read'

/** Everything sealed, by column, as each key reads it. */
async function readAll(...keys: Parameters<typeof createCipher>): Promise<Record<string, string[]>> {
  const cipher = createCipher(...keys)
  const database = openDatabase({ url: installation.ownerUrl, cipher })
  try {
    const read: Record<string, string[]> = {}
    for (const { table, column, key, placeOf } of SEALED_COLUMNS) {
      const names = Object.keys(key)
      const rows = await database.write(orgId, (tx) =>
        tx.query<{ key: [string, string]; sealed: string }>(
          `SELECT array[${names.map((name) => `${name}::text`)}] AS key, ${column} AS sealed FROM ${table}
           WHERE ${column} <> '' ORDER BY 1`,
        ),
      )
      read[`${table}.${column}`] = rows.map((row) => cipher.decrypt(row.sealed, placeOf(...row.key)))
    }
    return read
  } finally {
    await database.close()
  }
}

const control = await installation.start({ secretKey: first })
const orgId = await addOrganization(control.database, 'Rotating')
const ada = await addMember(control.database, orgId, 'ada@example.com')
const browser = new Browser()
const tokens = await signIn(control.publicUrl, ada, browser)
const siteId = '019a0000-0000-7000-8000-000000000001'
const sealed = createCipher(first).encrypt(CREDENTIALS, `site/${orgId}/${siteId}/credentials`)
await control.database.change(
  {
    orgId,
    actor: { kind: 'operator', id: 'o', email: 'o' },
    requestId: 'r',
    idempotency: { key: 'k', requestHash: 'h' },
  },
  async (tx) => {
    await tx.query(
      `INSERT INTO sites (org_id, id, origin_name, origin_scheme, origin_host, origin_port, gated_name, is_enabled,
         starts_at, stops_at, credentials, created_by)
       VALUES ($1, $2, 'o', 'https', 'o', 443, 'o.gate.localhost', true, now(), now(), $3, 'test')`,
      [orgId, siteId, sealed],
    )
    const seal = (text: string, { placeOf }: { placeOf(orgId: string, id: string): string }): string =>
      createCipher(first).encrypt(text, placeOf(orgId, siteId))
    await tx.query(
      `INSERT INTO notification_destinations (org_id, id, kind, name, target, keys, types, created_by)
       VALUES ($1, $2, 'webhook', 'n', $3, $4, '{}', 'test')`,
      [orgId, siteId, seal('https://hooks.example.com/', DESTINATION_TARGET), seal('{}', DESTINATION_KEYS)],
    )
    tx.record({ action: 'site.create', target: { kind: 'site', id: siteId }, before: null, after: null })
    return { shown: 'once' }
  },
)
await control.close()

test('no column holds sealed text but those that are known', async () => {
  const database = openDatabase({ url: installation.ownerUrl, cipher: createCipher(first) })
  try {
    const columns = await database.write(orgId, (tx) =>
      tx.query<{ table: string; column: string }>(
        `SELECT table_name AS table, column_name AS column FROM information_schema.columns
         WHERE table_schema = 'public' AND data_type IN ('text', 'jsonb')`,
      ),
    )
    const holding: string[] = []
    for (const { table, column } of columns) {
      const rows = await database.write(orgId, (tx) =>
        tx.query(`SELECT 1 FROM ${table} WHERE ${column}::text ~ 'v1[.][0-9a-f]{8}[.]' LIMIT 1`),
      )
      if (rows.length > 0) holding.push(`${table}.${column}`)
    }
    const known = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`)
    assert.deepEqual(holding.toSorted(), known.toSorted())
  } finally {
    await database.close()
  }
})

test('everything is sealed anew, once, and the earlier key opens nothing any more', async () => {
  const before = await readAll(first)
  for (const [column, texts] of Object.entries(before)) assert.ok(texts.length > 0, column)
  const both = createCipher(second, [first])
  const rotating = await installation.start({ secretKey: second, earlierSecretKeys: [first] })
  const count = Object.values(before).flat().length
  assert.deepEqual(await resealAll(rotating.database, both), { resealed: count, unreadable: 0 })
  assert.deepEqual(await resealAll(rotating.database, both), { resealed: 0, unreadable: 0 })
  await rotating.close()
  assert.deepEqual(await readAll(second), before)
  await assert.rejects(readAll(first), /not known/)
})

test('without the earlier key, sign-in works, and so do tokens and sessions from before', async () => {
  const { publicUrl } = control
  const after = await installation.start({
    secretKey: second,
    publicUrl,
    port: Number(new URL(publicUrl).port),
  })
  const principal = await after.who(tokens.access_token)
  assert.ok(typeof principal === 'object' && principal.userId === ada.id, 'the signing key is the same')
  const renewed = await tokenRequest(publicUrl, {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
  })
  assert.equal(renewed.status, 200, 'what the provider keeps is readable')
  const anew = await signIn(publicUrl, ada)
  assert.equal(typeof (await after.who(anew.access_token)), 'object')
  await after.close()
})

test('while the earlier key is given, browsers stay signed in', async () => {
  const { publicUrl } = control
  const port = Number(new URL(publicUrl).port)
  const third = randomBytes(32)
  const rotated = await installation.start({ secretKey: second, earlierSecretKeys: [first], publicUrl, port })
  const begun = authorization(publicUrl)
  const back = await browser.go(begun.url)
  assert.match(back.url, /callback\?code=/, 'its cookie was signed with the first key')
  await exchangeCode(publicUrl, begun, back.url)
  await rotated.close()

  // A key that is gone for good: what was sealed with it is told and left, and the rest goes on.
  const lost = await installation.start({ secretKey: third, publicUrl, port })
  const { resealed, unreadable } = await resealAll(lost.database, createCipher(third))
  assert.equal(resealed, 0)
  assert.ok(unreadable > 3)
  await signIn(publicUrl, ada)
})
