-- Traffic by URL per ten minutes and per three hours, in place of per hour: of a window, at most twenty minutes are read
-- from the requests instead of two hours, and the rest of its first and last day in a third of the rows.
-- No insert may run meanwhile: with several control planes on one server, stop all but one.

-- Requests by URL, with the researchers (hashed, only to be counted) and the histogram of durations, per ten minutes.
CREATE TABLE IF NOT EXISTS urls_ten_minutes
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

-- The same per three hours.
CREATE TABLE IF NOT EXISTS urls_three_hours
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

DROP VIEW IF EXISTS urls_hours_view;

DROP VIEW IF EXISTS urls_days_cascade;

-- What is stored already, a day at a time. The rows of a day are written as one block, so they are there whole or not at
-- all, and a migration that was cut short goes on with the days that are missing.
INSERT INTO urls_ten_minutes
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfTenMinutes(r.time) AS time,
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
WHERE toYYYYMMDD(r.time) = {day} AND {day} NOT IN (SELECT toYYYYMMDD(time) FROM urls_ten_minutes)
GROUP BY org_id, site_id, time, host, route, outcome, status_class
SETTINGS optimize_aggregation_in_order = 1, max_bytes_before_external_group_by = 200000000,
  min_insert_block_size_rows = 1000000000, min_insert_block_size_bytes = 0, max_insert_threads = 1;

INSERT INTO urls_three_hours
SELECT
  t.org_id AS org_id,
  t.site_id AS site_id,
  toStartOfInterval(t.time, toIntervalHour(3)) AS time,
  t.host AS host,
  t.route AS route,
  t.outcome AS outcome,
  t.status_class AS status_class,
  sum(t.requests) AS requests,
  sum(t.hits) AS hits,
  sum(t.request_bytes) AS request_bytes,
  sum(t.response_bytes) AS response_bytes,
  max(t.last_seen) AS last_seen,
  groupUniqArrayArray(t.researchers) AS researchers,
  sumMap(t.durations) AS durations,
  max(t.retention_days) AS retention_days
FROM urls_ten_minutes AS t
WHERE toYYYYMMDD(t.time) = {day} AND {day} NOT IN (SELECT toYYYYMMDD(time) FROM urls_three_hours)
GROUP BY org_id, site_id, time, host, route, outcome, status_class
SETTINGS optimize_aggregation_in_order = 1, max_bytes_before_external_group_by = 200000000,
  min_insert_block_size_rows = 1000000000, min_insert_block_size_bytes = 0, max_insert_threads = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS urls_ten_minutes_view TO urls_ten_minutes AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfTenMinutes(r.time) AS time,
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

CREATE MATERIALIZED VIEW IF NOT EXISTS urls_three_hours_cascade TO urls_three_hours AS
SELECT
  t.org_id AS org_id,
  t.site_id AS site_id,
  toStartOfInterval(t.time, toIntervalHour(3)) AS time,
  t.host AS host,
  t.route AS route,
  t.outcome AS outcome,
  t.status_class AS status_class,
  sum(t.requests) AS requests,
  sum(t.hits) AS hits,
  sum(t.request_bytes) AS request_bytes,
  sum(t.response_bytes) AS response_bytes,
  max(t.last_seen) AS last_seen,
  groupUniqArrayArray(t.researchers) AS researchers,
  sumMap(t.durations) AS durations,
  max(t.retention_days) AS retention_days
FROM urls_ten_minutes AS t
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
FROM urls_three_hours AS h
GROUP BY org_id, site_id, time, host, route, outcome, status_class;

DROP TABLE IF EXISTS urls_hours;
