import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTrafficStore, type TrafficStore } from '../../src/traffic-store/connection.ts'
import { migrateTrafficStore, readMigrations } from '../../src/traffic-store/migrate.ts'

const schemaOf = (store: TrafficStore): Promise<unknown[]> =>
  store.query(
    "SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase() AND name != 'migrations' ORDER BY name",
  )

test('a store migrated step by step, with interruptions, equals a fresh one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-migrate-'))
  const migrations = readMigrations()
  const stepped = await openTrafficStore({ dataDir: join(folder, 'stepped') })
  for (const migration of migrations) {
    const cut = { ...migration, statements: [...migration.statements.slice(0, 1), 'SELECT broken'] }
    const upToHere = migrations.slice(0, migration.number - 1)
    await assert.rejects(migrateTrafficStore(stepped, [...upToHere, cut]))
    const started: number[] = []
    assert.deepEqual(
      await migrateTrafficStore(stepped, [...upToHere, migration], ({ number }) => started.push(number)),
      [migration.number],
    )
    assert.deepEqual(started, migration.number === 1 ? [] : [migration.number], 'said, but of a new store')
  }
  assert.deepEqual(await migrateTrafficStore(stepped), [])
  const steppedSchema = await schemaOf(stepped)
  await stepped.close()

  const fresh = await openTrafficStore({ dataDir: join(folder, 'fresh') })
  await migrateTrafficStore(fresh)
  const freshSchema = await schemaOf(fresh)
  await fresh.close()
  rmSync(folder, { recursive: true, force: true })

  assert.ok(freshSchema.length > 10)
  assert.deepEqual(strip(steppedSchema), strip(freshSchema))
})

test('a store that a later version has migrated is refused and left as it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-later-'))
  const store = await openTrafficStore({ dataDir: folder })
  const migrations = readMigrations()
  const earlier = migrations.slice(0, -1)
  await migrateTrafficStore(store, earlier)
  const before = strip(await schemaOf(store))
  await store.command("INSERT INTO migrations (number, name) SELECT 9999, 'later'")
  await assert.rejects(migrateTrafficStore(store), { code: 'LATER_VERSION' })
  assert.equal(strip(await schemaOf(store)), before)
  await store.close()
  rmSync(folder, { recursive: true })
})

/** Identifiers that the engine makes up for each table. */
const strip = (schema: unknown): string => JSON.stringify(schema).replaceAll(/UUID '[0-9a-f-]{36}'/g, '')
