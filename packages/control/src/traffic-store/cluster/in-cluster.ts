/** A traffic store as one of a cluster: its settings, and its statements on their way out. */
import type { ClickHouseSettings } from '@clickhouse/client'
import type { QueryParameters } from '../literal-parameters.ts'
import { type ClusterPlace, clusterStatements } from './cluster-statements.ts'

/** What runs statements. */
interface StatementStore {
  query<Row>(sql: string): Promise<Row[]>
  command(sql: string, parameters?: QueryParameters): Promise<void>
}

/**
 * Settings of every statement in a cluster.
 *
 * An insert is divided by its shards at once, each part an insert under the same name, and answered when a majority of the
 * replicas of each has it. All statements take the first replica that lives, in the order of the cluster's configuration: so what was
 * written is read. `select_sequential_consistency` would need inserts one after the other, of all control planes together.
 */
export const CLUSTER_SETTINGS: ClickHouseSettings = {
  distributed_foreground_insert: 1,
  insert_quorum: 'auto',
  load_balancing: 'in_order',
  prefer_localhost_replica: 0,
  // A question about one organization goes to its shard alone.
  optimize_skip_unused_shards: 1,
  distributed_product_mode: 'global',
  // Before the client gives up, so that it is told which node did not answer.
  distributed_ddl_task_timeout: '25',
  distributed_ddl_output_mode: 'throw',
}

/** The same store, whose statements that change tables change them on every node of the cluster. */
export function inCluster<Store extends StatementStore>(
  store: Store,
  cluster: string,
): Store & { readonly cluster: string } {
  let place: ClusterPlace | undefined
  const find = async (): Promise<ClusterPlace> => {
    const [own] = await store.query<{ database: string }>('SELECT currentDatabase() AS database')
    if (!own) throw new Error('the traffic store does not say which database it is in')
    return { cluster, database: own.database }
  }
  return {
    ...store,
    cluster,
    command: async (sql: string, parameters?: QueryParameters) => {
      place ??= await find()
      for (const statement of clusterStatements(sql, place)) await store.command(statement, parameters)
    },
  }
}
