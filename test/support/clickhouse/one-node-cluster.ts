/**
 * A cluster of one node in the embedded engine: its `Distributed` tables are real ones. The engine has no distributed DDL, no Keeper to
 * replicate by and no port for other nodes, so statements lose their `ON CLUSTER`, tables are the same ones without replication, and the
 * node reaches itself within its process.
 */
import { writeFileSync } from 'node:fs'

/** The configuration of the node. */
export function writeClusterConfig(dataDir: string, cluster: string): string {
  const file = `${dataDir}-${cluster}.xml`
  writeFileSync(
    file,
    `<clickhouse>
  <tcp_port>9000</tcp_port>
  <macros><shard>01</shard><replica>one</replica></macros>
  <remote_servers>
    <${cluster}><shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>9000</port></replica></shard></${cluster}>
    <careless><shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard></careless>
  </remote_servers>
</clickhouse>
`,
  )
  return file
}

/** The statement as a node without other nodes, Keeper and port takes it. */
export const onOneNode = (sql: string): string =>
  sql
    .replaceAll(/ ON CLUSTER `\w+`/g, '')
    .replaceAll("SET prefer_localhost_replica = '0'; ", '')
    .replaceAll(/ENGINE = Replicated(\w+)\('[^']*', '\{replica\}'(?:, )?/g, 'ENGINE = $1(')
    .replaceAll('replicated_deduplication_window =', 'non_replicated_deduplication_window =')
    .replaceAll(/, replicated_deduplication_window_seconds = \d+/g, '')
