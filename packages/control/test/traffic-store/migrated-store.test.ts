/** A server that was away at the start, and then turns out to be a later version's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClickHouseServer, startClickHouse } from '../../../../test/support/clickhouse/server.ts'
import { eventually } from '../../../../test/support/installation.ts'
import { createEmptyDatabase } from '../../../../test/support/postgres.ts'
import { createTrafficLedger } from '../../src/database/ledger/traffic-ledger.ts'
import { LaterVersion } from '../../src/errors.ts'
import { openTrafficStore, StoreUnavailable } from '../../src/traffic-store/connection.ts'
import { migrateTrafficStore } from '../../src/traffic-store/migrate.ts'
import { openMigratedStore } from '../../src/traffic-store/migrated-store.ts'

async function putLaterMigration({ url }: ClickHouseServer): Promise<void> {
  const store = await openTrafficStore({ url })
  await migrateTrafficStore(store, [])
  await store.command("INSERT INTO migrations (number, name) SELECT 9999, 'later'")
  await store.close()
}

test('it is not used, and that is said; one that is there at the start is refused', async () => {
  const server = await startClickHouse()
  const database = await createEmptyDatabase()
  const ledger = createTrafficLedger(database.ownerUrl)
  try {
    await putLaterMigration(server)
    await assert.rejects(
      openMigratedStore({ url: server.url }, ledger, () => undefined),
      LaterVersion,
    )
    await server.kill()
    const problems: unknown[] = []
    const store = await openMigratedStore({ url: server.url }, ledger, (_line, problem) =>
      problems.push(problem),
    )
    await server.start()
    await eventually(async () => problems.some((problem) => problem instanceof LaterVersion) || undefined)
    await assert.rejects(store.query('SELECT 1'), StoreUnavailable)
    assert.equal(await store.ping(), false)
    await store.close()
  } finally {
    await server.remove()
    await database.drop()
  }
})
