-- Traffic by URL in one rollup: counts, researchers and durations together, where there were two. Its summary reads the
-- edges of a window from the requests once instead of twice, and an insert feeds one view less.
-- Durations are a histogram whose buckets grow by 2^(1/8), so that quantiles are right to within 5 % whatever the window
-- and however many requests there were: the middle of bucket b is 2^(b/8) microseconds.
-- No insert may run meanwhile: with several control planes on one server, stop all but one.

-- Requests by URL, with the researchers (hashed, only to be counted), per hour.
CREATE TABLE IF NOT EXISTS urls_hours
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  host LowCardinality(String),
  route LowCardinality(String),
  outcome Enum8('origin' = 1, 'block' = 2, 'limit' = 3, 'firewall' = 4, 'gate' = 5, 'interrupted' = 6),
  status_class UInt8,
  requests SimpleAggregateFunction(sum, UInt64),
  hits SimpleAggregateFunction(sum, UInt64),
  request_bytes SimpleAggregateFunction(sum, UInt64),
  response_bytes SimpleAggregateFunction(sum, UInt64),
  last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  researchers SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)),
  durations SimpleAggregateFunction(sumMap, Map(UInt16, UInt64)),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, host, route, outcome, status_class)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000, min_rows_to_fsync_after_merge = 1;

-- The same per day.
CREATE TABLE IF NOT EXISTS urls_days
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  host LowCardinality(String),
  route LowCardinality(String),
  outcome Enum8('origin' = 1, 'block' = 2, 'limit' = 3, 'firewall' = 4, 'gate' = 5, 'interrupted' = 6),
  status_class UInt8,
  requests SimpleAggregateFunction(sum, UInt64),
  hits SimpleAggregateFunction(sum, UInt64),
  request_bytes SimpleAggregateFunction(sum, UInt64),
  response_bytes SimpleAggregateFunction(sum, UInt64),
  last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  researchers SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)),
  durations SimpleAggregateFunction(sumMap, Map(UInt16, UInt64)),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, host, route, outcome, status_class)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000, min_rows_to_fsync_after_merge = 1;

DROP VIEW IF EXISTS routes_hours_view;

DROP VIEW IF EXISTS routes_days_cascade;

DROP VIEW IF EXISTS latency_hours_view;

DROP VIEW IF EXISTS latency_days_cascade;

-- What is stored already, a day at a time. The rows of a day are written as one block, so they are there whole or not at
-- all, and a migration that was cut short goes on with the days that are missing.
INSERT INTO urls_hours
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfHour(r.time) AS time,
  r.host AS host,
  r.route AS route,
  r.outcome AS outcome,
  toUInt8(intDiv(r.status, 100)) AS status_class,
  countIf(r.kind != 'websocket_close') AS requests,
  sum(countEqual(r.hit_excluded, false)) AS hits,
  sum(r.request_bytes) AS request_bytes,
  sum(r.response_bytes) AS response_bytes,
  max(r.time) AS last_seen,
  groupUniqArrayIf(cityHash64(toString(r.researcher_id)), r.researcher_id != '') AS researchers,
  sumMapIf(map(toUInt16(round(8 * log2(greatest(r.duration_us, 1)))), toUInt64(1)), r.kind = 'request') AS durations,
  max(r.retention_days) AS retention_days
FROM requests AS r
WHERE toYYYYMMDD(r.time) = {day} AND {day} NOT IN (SELECT toYYYYMMDD(time) FROM urls_hours)
GROUP BY org_id, site_id, time, host, route, outcome, status_class
SETTINGS optimize_aggregation_in_order = 1, max_bytes_before_external_group_by = 200000000,
  min_insert_block_size_rows = 1000000000, min_insert_block_size_bytes = 0, max_insert_threads = 1;

INSERT INTO urls_days
SELECT
  h.org_id AS org_id,
  h.site_id AS site_id,
  toDateTime(toStartOfDay(h.time)) AS time,
  h.host AS host,
  h.route AS route,
  h.outcome AS outcome,
  h.status_class AS status_class,
  sum(h.requests) AS requests,
  sum(h.hits) AS hits,
  sum(h.request_bytes) AS request_bytes,
  sum(h.response_bytes) AS response_bytes,
  max(h.last_seen) AS last_seen,
  groupUniqArrayArray(h.researchers) AS researchers,
  sumMap(h.durations) AS durations,
  max(h.retention_days) AS retention_days
FROM urls_hours AS h
WHERE toYYYYMMDD(h.time) = {day} AND {day} NOT IN (SELECT toYYYYMMDD(time) FROM urls_days)
GROUP BY org_id, site_id, time, host, route, outcome, status_class
SETTINGS optimize_aggregation_in_order = 1, max_bytes_before_external_group_by = 200000000,
  min_insert_block_size_rows = 1000000000, min_insert_block_size_bytes = 0, max_insert_threads = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS urls_hours_view TO urls_hours AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfHour(r.time) AS time,
  r.host AS host,
  r.route AS route,
  r.outcome AS outcome,
  toUInt8(intDiv(r.status, 100)) AS status_class,
  countIf(r.kind != 'websocket_close') AS requests,
  sum(countEqual(r.hit_excluded, false)) AS hits,
  sum(r.request_bytes) AS request_bytes,
  sum(r.response_bytes) AS response_bytes,
  max(r.time) AS last_seen,
  groupUniqArrayIf(cityHash64(toString(r.researcher_id)), r.researcher_id != '') AS researchers,
  sumMapIf(map(toUInt16(round(8 * log2(greatest(r.duration_us, 1)))), toUInt64(1)), r.kind = 'request') AS durations,
  max(r.retention_days) AS retention_days
FROM requests AS r
GROUP BY org_id, site_id, time, host, route, outcome, status_class;

CREATE MATERIALIZED VIEW IF NOT EXISTS urls_days_cascade TO urls_days AS
SELECT
  h.org_id AS org_id,
  h.site_id AS site_id,
  toDateTime(toStartOfDay(h.time)) AS time,
  h.host AS host,
  h.route AS route,
  h.outcome AS outcome,
  h.status_class AS status_class,
  sum(h.requests) AS requests,
  sum(h.hits) AS hits,
  sum(h.request_bytes) AS request_bytes,
  sum(h.response_bytes) AS response_bytes,
  max(h.last_seen) AS last_seen,
  groupUniqArrayArray(h.researchers) AS researchers,
  sumMap(h.durations) AS durations,
  max(h.retention_days) AS retention_days
FROM urls_hours AS h
GROUP BY org_id, site_id, time, host, route, outcome, status_class;

DROP TABLE IF EXISTS routes_hours;

DROP TABLE IF EXISTS routes_days;

DROP TABLE IF EXISTS latency_hours;

DROP TABLE IF EXISTS latency_days;
