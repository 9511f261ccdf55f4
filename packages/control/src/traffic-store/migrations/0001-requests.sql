-- Every request that went through a gateway, one row an event. Rows of one organization and site lie together in
-- order of time, which is how they are asked for. Each row carries its organization's retention, so that one table
-- keeps different organizations for different times.
CREATE TABLE IF NOT EXISTS requests
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  id UUID CODEC(ZSTD(1)),
  kind Enum8('request' = 1, 'websocket_open' = 2, 'websocket_close' = 3),
  gateway_id LowCardinality(String),
  researcher_id LowCardinality(String),
  credential Enum8('none' = 0, 'key' = 1, 'session' = 2),
  credential_id LowCardinality(String),
  client_address LowCardinality(String),
  http_version LowCardinality(String),
  tls LowCardinality(String),
  method LowCardinality(String),
  scheme LowCardinality(String),
  host LowCardinality(String),
  target String CODEC(ZSTD(3)),
  path String CODEC(ZSTD(3)),
  route LowCardinality(String),
  query_names Array(LowCardinality(String)) CODEC(ZSTD(1)),
  status UInt16 CODEC(ZSTD(1)),
  outcome Enum8('origin' = 1, 'block' = 2, 'limit' = 3, 'firewall' = 4, 'gate' = 5, 'interrupted' = 6),
  reason LowCardinality(String),
  rule LowCardinality(String),
  reading LowCardinality(String),
  request_bytes UInt64 CODEC(T64, ZSTD(1)),
  response_bytes UInt64 CODEC(T64, ZSTD(1)),
  duration_us UInt64 CODEC(T64, ZSTD(1)),
  first_byte_us UInt64 CODEC(T64, ZSTD(1)),
  user_agent LowCardinality(String),
  tool LowCardinality(String),
  inspection Enum8('off' = 0, 'skipped' = 1, 'full' = 2, 'partial' = 3),
  hit_rules Array(LowCardinality(String)),
  hit_classes Array(LowCardinality(String)),
  hit_severities Array(Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4)),
  hit_parts Array(LowCardinality(String)),
  hit_parameters Array(String) CODEC(ZSTD(1)),
  hit_excerpts Array(String) CODEC(ZSTD(3)),
  hit_excluded Array(Bool),
  messages_in UInt32 CODEC(T64, ZSTD(1)),
  messages_out UInt32 CODEC(T64, ZSTD(1)),
  retention_days UInt16,
  INDEX id_index id TYPE bloom_filter(0.01) GRANULARITY 4,
  INDEX researcher_index researcher_id TYPE set(256) GRANULARITY 4,
  INDEX rule_index hit_rules TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX path_index path TYPE ngrambf_v1(4, 8192, 2, 0) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (org_id, site_id, time, id)
TTL toDateTime(time) + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000, index_granularity = 8192, ttl_only_drop_parts = 0;

-- What a gateway sent and the record cannot take, with the reason, so that it blocks nothing and is not lost either.
CREATE TABLE IF NOT EXISTS set_aside
(
  time DateTime64(3, 'UTC'),
  gateway_id String,
  batch_id String,
  line UInt32,
  reason String,
  content String CODEC(ZSTD(3))
)
ENGINE = MergeTree
ORDER BY time
TTL toDateTime(time) + INTERVAL 90 DAY
SETTINGS non_replicated_deduplication_window = 1000;
