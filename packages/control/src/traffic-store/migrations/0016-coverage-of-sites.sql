-- What the map of a whole site is read from beside the days of coverage, so that it costs the same however many requests there were.
-- No insert may run meanwhile: with several control planes on one server, stop all but one.

-- How much there was of a site at all: what lies at no known route is the rest, and need not be read. Kept by days, as what it is compared with is:
-- hours that outlive the sums of their day would count as lying at no known route.
CREATE TABLE IF NOT EXISTS coverage_totals_hours
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  level Enum8('request' = 0, 'class' = 1),
  requests SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, level)
TTL toStartOfDay(time) + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000, min_rows_to_fsync_after_merge = 1;

-- Attempts by the place of the hit per day, with a column for each verdict, and with who it was as a set.
CREATE TABLE IF NOT EXISTS attempts_days
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  route LowCardinality(String),
  method LowCardinality(String),
  class LowCardinality(String),
  part LowCardinality(String),
  parameter String CODEC(ZSTD(1)),
  server_error SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  reached SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  refused_by_origin SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  throttled_by_origin SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  unanswered SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  definition SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  throttled SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  firewall SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  block SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  gate SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  researchers SimpleAggregateFunction(groupUniqArrayArray, Array(String)),
  first_seen SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, route, method, class, part, parameter)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000, min_rows_to_fsync_after_merge = 1;

-- What is stored already, a day at a time. The rows of a day are written as one block, so they are there whole or not at
-- all, and a migration that was cut short goes on with the days that are missing.
INSERT INTO coverage_totals_hours
(org_id, site_id, time, level, requests, retention_days)
SELECT
  h.org_id AS org_id,
  h.site_id AS site_id,
  h.time AS time,
  h.level AS level,
  sum(h.server_error + h.reached + h.refused_by_origin + h.throttled_by_origin + h.unanswered + h.definition + h.throttled + h.firewall + h.block + h.gate) AS requests,
  max(h.retention_days) AS retention_days
FROM coverage_hours AS h
WHERE toYYYYMMDD(h.time) = {day} AND {day} NOT IN (SELECT toYYYYMMDD(time) FROM coverage_totals_hours)
GROUP BY org_id, site_id, time, level
SETTINGS optimize_aggregation_in_order = 1, max_bytes_before_external_group_by = 200000000,
  min_insert_block_size_rows = 1000000000, min_insert_block_size_bytes = 0, max_insert_threads = 1;

INSERT INTO attempts_days
(org_id, site_id, time, route, method, class, part, parameter, server_error, reached, refused_by_origin, throttled_by_origin, unanswered, definition, throttled, firewall, block, gate, researchers, first_seen, last_seen, retention_days)
SELECT
  a.org_id AS org_id,
  a.site_id AS site_id,
  toDateTime(toStartOfDay(a.time)) AS time,
  a.route AS route,
  a.method AS method,
  a.class AS class,
  a.part AS part,
  a.parameter AS parameter,
  sumIf(a.attempts, a.outcome = 'origin' AND a.status >= 500) AS server_error,
  sumIf(a.attempts, a.outcome = 'origin' AND a.status >= 100 AND a.status < 400) AS reached,
  sumIf(a.attempts, a.outcome = 'origin' AND a.status >= 400 AND a.status < 500 AND a.status != 429) AS refused_by_origin,
  sumIf(a.attempts, a.outcome = 'origin' AND a.status = 429) AS throttled_by_origin,
  sumIf(a.attempts, a.outcome = 'interrupted' OR a.outcome = 'origin' AND a.status < 100 OR a.outcome = 'gate' AND (startsWith(a.reason, 'origin_') OR a.reason = 'client_aborted')) AS unanswered,
  sumIf(a.attempts, a.outcome = 'firewall' AND a.reason = 'definition') AS definition,
  sumIf(a.attempts, a.outcome = 'limit') AS throttled,
  sumIf(a.attempts, a.outcome = 'firewall' AND a.reason != 'definition') AS firewall,
  sumIf(a.attempts, a.outcome = 'block') AS block,
  sumIf(a.attempts, a.outcome = 'gate' AND NOT startsWith(a.reason, 'origin_') AND a.reason != 'client_aborted') AS gate,
  groupUniqArrayIf(toString(a.researcher_id), a.researcher_id != '') AS researchers,
  min(a.first_seen) AS first_seen,
  max(a.last_seen) AS last_seen,
  max(a.retention_days) AS retention_days
FROM attempts_hours AS a
WHERE toYYYYMMDD(a.time) = {day} AND {day} NOT IN (SELECT toYYYYMMDD(time) FROM attempts_days)
GROUP BY org_id, site_id, time, route, method, class, part, parameter
SETTINGS optimize_aggregation_in_order = 1, max_bytes_before_external_group_by = 200000000,
  min_insert_block_size_rows = 1000000000, min_insert_block_size_bytes = 0, max_insert_threads = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS coverage_totals_hours_cascade TO coverage_totals_hours AS
SELECT
  h.org_id AS org_id,
  h.site_id AS site_id,
  h.time AS time,
  h.level AS level,
  sum(h.server_error + h.reached + h.refused_by_origin + h.throttled_by_origin + h.unanswered + h.definition + h.throttled + h.firewall + h.block + h.gate) AS requests,
  max(h.retention_days) AS retention_days
FROM coverage_hours AS h
GROUP BY org_id, site_id, time, level;

CREATE MATERIALIZED VIEW IF NOT EXISTS attempts_days_cascade TO attempts_days AS
SELECT
  a.org_id AS org_id,
  a.site_id AS site_id,
  toDateTime(toStartOfDay(a.time)) AS time,
  a.route AS route,
  a.method AS method,
  a.class AS class,
  a.part AS part,
  a.parameter AS parameter,
  sumIf(a.attempts, a.outcome = 'origin' AND a.status >= 500) AS server_error,
  sumIf(a.attempts, a.outcome = 'origin' AND a.status >= 100 AND a.status < 400) AS reached,
  sumIf(a.attempts, a.outcome = 'origin' AND a.status >= 400 AND a.status < 500 AND a.status != 429) AS refused_by_origin,
  sumIf(a.attempts, a.outcome = 'origin' AND a.status = 429) AS throttled_by_origin,
  sumIf(a.attempts, a.outcome = 'interrupted' OR a.outcome = 'origin' AND a.status < 100 OR a.outcome = 'gate' AND (startsWith(a.reason, 'origin_') OR a.reason = 'client_aborted')) AS unanswered,
  sumIf(a.attempts, a.outcome = 'firewall' AND a.reason = 'definition') AS definition,
  sumIf(a.attempts, a.outcome = 'limit') AS throttled,
  sumIf(a.attempts, a.outcome = 'firewall' AND a.reason != 'definition') AS firewall,
  sumIf(a.attempts, a.outcome = 'block') AS block,
  sumIf(a.attempts, a.outcome = 'gate' AND NOT startsWith(a.reason, 'origin_') AND a.reason != 'client_aborted') AS gate,
  groupUniqArrayIf(toString(a.researcher_id), a.researcher_id != '') AS researchers,
  min(a.first_seen) AS first_seen,
  max(a.last_seen) AS last_seen,
  max(a.retention_days) AS retention_days
FROM attempts_hours AS a
GROUP BY org_id, site_id, time, route, method, class, part, parameter;
