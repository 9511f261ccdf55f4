/** How long stored requests stay, and what was summed up of them. */
import type { TrafficStore } from './connection.ts'

/**
 * Gives everything stored of an organization another retention, its share of the rollups too. The store rewrites its parts
 * in the background, one after the other, and deletes what is older than that on the way; it goes on after a restart. Given
 * again, it changes nothing.
 */
export async function rewriteRetention(
  store: Pick<TrafficStore, 'query' | 'command'>,
  orgId: string,
  days: number,
): Promise<void> {
  const tables = await store.query<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND endsWith(engine, 'MergeTree')
       AND name IN (SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'retention_days')`,
  )
  for (const { name } of tables)
    await store.command(
      `ALTER TABLE ${name} UPDATE retention_days = {days:UInt16}
       WHERE org_id = {orgId:String} AND retention_days != {days:UInt16} SETTINGS mutations_sync = 0`,
      { days, orgId },
    )
}
