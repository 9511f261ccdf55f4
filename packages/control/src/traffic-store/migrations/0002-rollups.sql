-- Rollups, kept by views while rows are inserted, so that a chart costs the same over a thousand requests and over a
-- billion. Views deduplicate with their source: each remembers the blocks it has taken, as `requests` does.
-- Minutes serve the edges of a window and fine charts, hours and days everything in between.

-- Requests of a site by outcome and status class, per minute.
CREATE TABLE IF NOT EXISTS traffic_minutes
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  outcome Enum8('origin' = 1, 'block' = 2, 'limit' = 3, 'firewall' = 4, 'gate' = 5, 'interrupted' = 6),
  status_class UInt8,
  requests SimpleAggregateFunction(sum, UInt64),
  hits SimpleAggregateFunction(sum, UInt64),
  request_bytes SimpleAggregateFunction(sum, UInt64),
  response_bytes SimpleAggregateFunction(sum, UInt64),
  last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, outcome, status_class)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS traffic_minutes_view TO traffic_minutes AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfMinute(r.time) AS time,
  r.outcome AS outcome,
  toUInt8(intDiv(r.status, 100)) AS status_class,
  countIf(r.kind != 'websocket_close') AS requests,
  sum(countEqual(r.hit_excluded, false)) AS hits,
  sum(r.request_bytes) AS request_bytes,
  sum(r.response_bytes) AS response_bytes,
  max(r.time) AS last_seen,
  max(r.retention_days) AS retention_days
FROM requests AS r
GROUP BY org_id, site_id, time, outcome, status_class;

-- Requests of a site by outcome and status class, per hour.
CREATE TABLE IF NOT EXISTS traffic_hours
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  outcome Enum8('origin' = 1, 'block' = 2, 'limit' = 3, 'firewall' = 4, 'gate' = 5, 'interrupted' = 6),
  status_class UInt8,
  requests SimpleAggregateFunction(sum, UInt64),
  hits SimpleAggregateFunction(sum, UInt64),
  request_bytes SimpleAggregateFunction(sum, UInt64),
  response_bytes SimpleAggregateFunction(sum, UInt64),
  last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, outcome, status_class)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS traffic_hours_view TO traffic_hours AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfHour(r.time) AS time,
  r.outcome AS outcome,
  toUInt8(intDiv(r.status, 100)) AS status_class,
  countIf(r.kind != 'websocket_close') AS requests,
  sum(countEqual(r.hit_excluded, false)) AS hits,
  sum(r.request_bytes) AS request_bytes,
  sum(r.response_bytes) AS response_bytes,
  max(r.time) AS last_seen,
  max(r.retention_days) AS retention_days
FROM requests AS r
GROUP BY org_id, site_id, time, outcome, status_class;

-- The same by researcher and tool as well, per hour. By minute there would be a fifth as many rows as requests.
CREATE TABLE IF NOT EXISTS activity_hours
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  researcher_id LowCardinality(String),
  tool LowCardinality(String),
  outcome Enum8('origin' = 1, 'block' = 2, 'limit' = 3, 'firewall' = 4, 'gate' = 5, 'interrupted' = 6),
  status_class UInt8,
  requests SimpleAggregateFunction(sum, UInt64),
  hits SimpleAggregateFunction(sum, UInt64),
  request_bytes SimpleAggregateFunction(sum, UInt64),
  response_bytes SimpleAggregateFunction(sum, UInt64),
  last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, researcher_id, tool, outcome, status_class)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS activity_hours_view TO activity_hours AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfHour(r.time) AS time,
  r.researcher_id AS researcher_id,
  r.tool AS tool,
  r.outcome AS outcome,
  toUInt8(intDiv(r.status, 100)) AS status_class,
  countIf(r.kind != 'websocket_close') AS requests,
  sum(countEqual(r.hit_excluded, false)) AS hits,
  sum(r.request_bytes) AS request_bytes,
  sum(r.response_bytes) AS response_bytes,
  max(r.time) AS last_seen,
  max(r.retention_days) AS retention_days
FROM requests AS r
GROUP BY org_id, site_id, time, researcher_id, tool, outcome, status_class;

-- Rules that matched: firewall hits, and the block rules and rate-limit policies that refused. Per minute.
CREATE TABLE IF NOT EXISTS rules_minutes
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  kind LowCardinality(String),
  rule LowCardinality(String),
  class LowCardinality(String),
  severity LowCardinality(String),
  excluded Bool,
  researcher_id LowCardinality(String),
  hits SimpleAggregateFunction(sum, UInt64),
  refused SimpleAggregateFunction(sum, UInt64),
  last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, kind, rule, class, severity, excluded, researcher_id)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS rules_minutes_view TO rules_minutes AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfMinute(r.time) AS time,
  rule_row.1 AS kind,
  rule_row.2 AS rule,
  rule_row.3 AS class,
  rule_row.4 AS severity,
  rule_row.5 AS excluded,
  r.researcher_id AS researcher_id,
  count() AS hits,
  countIf(rule_row.1 != 'firewall' OR r.outcome = 'firewall' AND r.rule = rule_row.2) AS refused,
  max(r.time) AS last_seen,
  max(r.retention_days) AS retention_days
FROM requests AS r
ARRAY JOIN arrayConcat(
  arrayMap((rule, class, severity, excluded) -> ('firewall', toString(rule), toString(class), toString(severity), excluded), r.hit_rules, r.hit_classes, r.hit_severities, r.hit_excluded),
  if(r.rule != '' AND r.outcome IN ('block', 'limit'), [(toString(r.outcome), toString(r.rule), '', '', false)], [])
) AS rule_row
GROUP BY org_id, site_id, time, kind, rule, class, severity, excluded, researcher_id;

-- Rules that matched: firewall hits, and the block rules and rate-limit policies that refused. Per hour.
CREATE TABLE IF NOT EXISTS rules_hours
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  kind LowCardinality(String),
  rule LowCardinality(String),
  class LowCardinality(String),
  severity LowCardinality(String),
  excluded Bool,
  researcher_id LowCardinality(String),
  hits SimpleAggregateFunction(sum, UInt64),
  refused SimpleAggregateFunction(sum, UInt64),
  last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, kind, rule, class, severity, excluded, researcher_id)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS rules_hours_view TO rules_hours AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfHour(r.time) AS time,
  rule_row.1 AS kind,
  rule_row.2 AS rule,
  rule_row.3 AS class,
  rule_row.4 AS severity,
  rule_row.5 AS excluded,
  r.researcher_id AS researcher_id,
  count() AS hits,
  countIf(rule_row.1 != 'firewall' OR r.outcome = 'firewall' AND r.rule = rule_row.2) AS refused,
  max(r.time) AS last_seen,
  max(r.retention_days) AS retention_days
FROM requests AS r
ARRAY JOIN arrayConcat(
  arrayMap((rule, class, severity, excluded) -> ('firewall', toString(rule), toString(class), toString(severity), excluded), r.hit_rules, r.hit_classes, r.hit_severities, r.hit_excluded),
  if(r.rule != '' AND r.outcome IN ('block', 'limit'), [(toString(r.outcome), toString(r.rule), '', '', false)], [])
) AS rule_row
GROUP BY org_id, site_id, time, kind, rule, class, severity, excluded, researcher_id;

-- Requests by route, with the researchers (hashed, only to be counted), per hour.
CREATE TABLE IF NOT EXISTS routes_hours
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
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, host, route, outcome, status_class)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS routes_hours_view TO routes_hours AS
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
  max(r.retention_days) AS retention_days
FROM requests AS r
GROUP BY org_id, site_id, time, host, route, outcome, status_class;

-- Requests by route, with the researchers (hashed, only to be counted), per day.
CREATE TABLE IF NOT EXISTS routes_days
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
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, host, route, outcome, status_class)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS routes_days_view TO routes_days AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toDateTime(toStartOfDay(r.time)) AS time,
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
  max(r.retention_days) AS retention_days
FROM requests AS r
GROUP BY org_id, site_id, time, host, route, outcome, status_class;

-- Durations as a histogram whose buckets grow by 2^(1/8), so that quantiles are right to within 5 % whatever the
-- window and however many requests there were. The middle of bucket b is 2^(b/8) microseconds. Per hour.
CREATE TABLE IF NOT EXISTS latency_hours
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  host LowCardinality(String),
  route LowCardinality(String),
  bucket UInt16,
  requests SimpleAggregateFunction(sum, UInt64),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, host, route, bucket)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS latency_hours_view TO latency_hours AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfHour(r.time) AS time,
  r.host AS host,
  r.route AS route,
  toUInt16(round(8 * log2(greatest(r.duration_us, 1)))) AS bucket,
  count() AS requests,
  max(r.retention_days) AS retention_days
FROM requests AS r
WHERE r.kind = 'request'
GROUP BY org_id, site_id, time, host, route, bucket;

-- Durations as a histogram whose buckets grow by 2^(1/8), so that quantiles are right to within 5 % whatever the
-- window and however many requests there were. The middle of bucket b is 2^(b/8) microseconds. Per day.
CREATE TABLE IF NOT EXISTS latency_days
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  host LowCardinality(String),
  route LowCardinality(String),
  bucket UInt16,
  requests SimpleAggregateFunction(sum, UInt64),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, host, route, bucket)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS latency_days_view TO latency_days AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toDateTime(toStartOfDay(r.time)) AS time,
  r.host AS host,
  r.route AS route,
  toUInt16(round(8 * log2(greatest(r.duration_us, 1)))) AS bucket,
  count() AS requests,
  max(r.retention_days) AS retention_days
FROM requests AS r
WHERE r.kind = 'request'
GROUP BY org_id, site_id, time, host, route, bucket;
