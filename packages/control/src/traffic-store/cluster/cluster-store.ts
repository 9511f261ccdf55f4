/** Whether a cluster of ClickHouse is one that holds a record once. */
import type { TrafficStore } from '../connection.ts'

/** The store, or a setting about it, is not fit for a record; the message is for the operator. */
export class UnfitCluster extends Error {
  readonly code = 'UNFIT_SERVER'
}

interface ClusterNode {
  readonly shard_num: number
  /** Absent from a version of before. */
  readonly internal_replication?: number
}

/**
 * Throws an `UnfitCluster` where the cluster of the setting is not known or would store rows twice, and where the database holds a record
 * of the other kind: of a server for a cluster, or of a cluster for a server.
 */
export async function requireFitCluster(store: Pick<TrafficStore, 'query' | 'cluster'>): Promise<void> {
  const { cluster } = store
  const [present] = await store.query<{ engine: string }>(
    "SELECT engine FROM system.tables WHERE database = currentDatabase() AND name = 'requests'",
  )
  const isOfCluster = present?.engine === 'Distributed'
  if (cluster === undefined) {
    if (isOfCluster)
      throw new UnfitCluster(
        'CLICKHOUSE_CLUSTER: must be set to the cluster whose record this database of CLICKHOUSE_URL holds',
      )
    return
  }
  if (present && !isOfCluster)
    throw new UnfitCluster(
      'CLICKHOUSE_CLUSTER: the database of CLICKHOUSE_URL holds the record of one server: name a new database, and copy the record with `sallyport traffic copy`',
    )
  const nodes = await store.query<ClusterNode>(
    'SELECT * FROM system.clusters WHERE cluster = {cluster:String}',
    {
      cluster,
    },
  )
  if (nodes.length === 0)
    throw new UnfitCluster(`CLICKHOUSE_CLUSTER: the server of CLICKHOUSE_URL knows no cluster ${cluster}`)
  if (nodes.some((node) => node.internal_replication === 0))
    throw new UnfitCluster(
      `CLICKHOUSE_CLUSTER: each shard of ${cluster} must have internal_replication set to true in remote_servers`,
    )
  const macros = await store.query<{ macro: string }>('SELECT macro FROM system.macros')
  for (const name of ['shard', 'replica'])
    if (!macros.some(({ macro }) => macro === name))
      throw new UnfitCluster(`CLICKHOUSE_CLUSTER: each node of ${cluster} must have the macro ${name}`)
}
