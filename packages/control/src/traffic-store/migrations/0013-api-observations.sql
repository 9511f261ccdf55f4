-- Sums of requests by shape, of which the API of a site is learned. Unlike the rollups they are made by the collector, which knows
-- shapes, and are inserted beside each batch under its name. Requests of before are not in them.
CREATE TABLE IF NOT EXISTS api_observations
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  place Enum8('control' = 1, 'answer' = 2, 'query' = 3, 'body' = 4),
  method LowCardinality(String),
  shape String CODEC(ZSTD(1)),
  name String CODEC(ZSTD(1)),
  type String CODEC(ZSTD(1)),
  requests SimpleAggregateFunction(sum, UInt64),
  covered SimpleAggregateFunction(sum, UInt64),
  researchers SimpleAggregateFunction(sumMap, Map(String, UInt64)),
  sizes SimpleAggregateFunction(sumMap, Map(UInt16, UInt64)),
  first_seen SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, place, method, shape, name, type)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000, min_rows_to_fsync_after_merge = 1;
