import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { openTrafficStore } from '../../../src/traffic-store/connection.ts'
import { migrateTrafficStore, readApplied, readStoreId } from '../../../src/traffic-store/migrate.ts'
import {
  beginWithPreparedStore,
  prepareTrafficStore,
} from '../../../src/traffic-store/prepared/prepared-store.ts'

/** Opens a store, brings it up to date and says what it is. */
async function look(dataDir: string) {
  const store = await openTrafficStore({ dataDir })
  try {
    const storeId = await readStoreId(store)
    const made = await migrateTrafficStore(store)
    const schema = await store.query(
      'SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase() ORDER BY name',
    )
    const [requests] = await store.query<{ count: number }>('SELECT count() AS count FROM requests')
    return {
      storeId,
      made,
      applied: await readApplied(store),
      count: requests?.count,
      // Identifiers that the engine makes up for each table.
      schema: JSON.stringify(schema).replaceAll(/UUID '[0-9a-f-]{36}'/g, ''),
    }
  } finally {
    await store.close()
  }
}

test('a store begins as a copy of the prepared one: the tables of a fresh one, and an identifier of its own', async (context) => {
  const folder = temporaryFolder(context)
  const prepared = join(folder, 'prepared')
  await prepareTrafficStore(prepared)
  const [first, second, fresh] = ['first', 'second', 'fresh'].map((name) => join(folder, name))
  assert.ok(first && second && fresh)
  await beginWithPreparedStore(prepared, first)
  await beginWithPreparedStore(prepared, second)
  const copies = [await look(first), await look(second)] as const
  const made = await look(fresh)
  for (const copy of copies) {
    assert.deepEqual(copy.made, [], 'nothing is left to be made')
    assert.equal(copy.count, 0)
    assert.equal(copy.schema, made.schema)
    assert.deepEqual(copy.applied, made.applied)
  }
  assert.notEqual(copies[0].storeId, copies[1].storeId)

  await context.test('and a store that is there already stays as it is', async () => {
    await beginWithPreparedStore(prepared, first)
    assert.equal((await look(first)).storeId, copies[0].storeId)
  })

  await context.test('what a start that was cut off has copied is replaced', async () => {
    const dataDir = join(folder, 'again')
    mkdirSync(`${dataDir}.beginning/metadata`, { recursive: true })
    writeFileSync(`${dataDir}.beginning/metadata/default.sql`, 'damaged')
    await beginWithPreparedStore(prepared, dataDir)
    assert.deepEqual((await look(dataDir)).made, [])
    assert.ok(!existsSync(`${dataDir}.beginning`))
  })

  await context.test('one of other migrations, or of another engine, is not used', async () => {
    const [name = ''] = readdirSync(prepared)
    renameSync(join(prepared, name), join(prepared, 'f'.repeat(32)))
    const dataDir = join(folder, 'unlike')
    await beginWithPreparedStore(prepared, dataDir)
    assert.deepEqual([existsSync(dataDir), existsSync(`${dataDir}.beginning`)], [false, false])
  })
})
