-- Who tried what on which operation, and what became of it: per hour, and of it per day. A request is in the rows of level `request`,
-- once for each of its classes of attack in those of `class`, and once for each class and parameter in those of `parameter`, so
-- that counts of one level add up. Hits that an exclusion let pass are no attempts.
-- No insert may run meanwhile: with several control planes on one server, stop all but one.

CREATE TABLE IF NOT EXISTS coverage_hours
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  level Enum8('request' = 0, 'class' = 1, 'parameter' = 2),
  route LowCardinality(String),
  method LowCardinality(String),
  class LowCardinality(String),
  part LowCardinality(String),
  parameter String CODEC(ZSTD(1)),
  researcher_id LowCardinality(String),
  outcome Enum8('origin' = 1, 'block' = 2, 'limit' = 3, 'firewall' = 4, 'gate' = 5, 'interrupted' = 6),
  status UInt16,
  reason LowCardinality(String),
  rule LowCardinality(String),
  requests SimpleAggregateFunction(sum, UInt64),
  first_seen SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, level, route, method, class, part, parameter, researcher_id, outcome, status, reason, rule)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000, min_rows_to_fsync_after_merge = 1;

CREATE TABLE IF NOT EXISTS coverage_days
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  level Enum8('request' = 0, 'class' = 1, 'parameter' = 2),
  route LowCardinality(String),
  method LowCardinality(String),
  class LowCardinality(String),
  part LowCardinality(String),
  parameter String CODEC(ZSTD(1)),
  researcher_id LowCardinality(String),
  outcome Enum8('origin' = 1, 'block' = 2, 'limit' = 3, 'firewall' = 4, 'gate' = 5, 'interrupted' = 6),
  status UInt16,
  reason LowCardinality(String),
  rule LowCardinality(String),
  requests SimpleAggregateFunction(sum, UInt64),
  first_seen SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, level, route, method, class, part, parameter, researcher_id, outcome, status, reason, rule)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000, min_rows_to_fsync_after_merge = 1;

-- What is stored already, a day at a time. The rows of a day are written as one block, so they are there whole or not at
-- all, and a migration that was cut short goes on with the days that are missing.
INSERT INTO coverage_hours
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfHour(r.time) AS time,
  covered.1 AS level,
  r.route AS route,
  r.method AS method,
  covered.2 AS class,
  covered.3 AS part,
  covered.4 AS parameter,
  r.researcher_id AS researcher_id,
  r.outcome AS outcome,
  r.status AS status,
  r.reason AS reason,
  r.rule AS rule,
  sum(r.request_count) AS requests,
  min(r.time) AS first_seen,
  max(r.time) AS last_seen,
  max(r.retention_days) AS retention_days
FROM requests AS r
ARRAY JOIN arrayConcat(
  [(CAST('request', 'Enum8(\'request\' = 0, \'class\' = 1, \'parameter\' = 2)'), '', '', '')],
  arrayDistinct(arrayMap(hit -> (CAST('class', 'Enum8(\'request\' = 0, \'class\' = 1, \'parameter\' = 2)'), toString(r.hit_classes[hit]), '', ''),
    arrayFilter(hit -> NOT r.hit_excluded[hit], arrayEnumerate(r.hit_classes)))),
  arrayDistinct(arrayMap(hit -> (CAST('parameter', 'Enum8(\'request\' = 0, \'class\' = 1, \'parameter\' = 2)'), toString(r.hit_classes[hit]), toString(r.hit_parts[hit]), r.hit_parameters[hit]),
    arrayFilter(hit -> NOT r.hit_excluded[hit], arrayEnumerate(r.hit_classes))))
) AS covered
WHERE r.kind != 'websocket_close' AND toYYYYMMDD(r.time) = {day} AND {day} NOT IN (SELECT toYYYYMMDD(time) FROM coverage_hours)
GROUP BY org_id, site_id, time, level, route, method, class, part, parameter, researcher_id, outcome, status, reason, rule
SETTINGS optimize_aggregation_in_order = 1, max_bytes_before_external_group_by = 200000000,
  min_insert_block_size_rows = 1000000000, min_insert_block_size_bytes = 0, max_insert_threads = 1;

INSERT INTO coverage_days
SELECT
  h.org_id AS org_id,
  h.site_id AS site_id,
  toDateTime(toStartOfDay(h.time)) AS time,
  h.level AS level,
  h.route AS route,
  h.method AS method,
  h.class AS class,
  h.part AS part,
  h.parameter AS parameter,
  h.researcher_id AS researcher_id,
  h.outcome AS outcome,
  h.status AS status,
  h.reason AS reason,
  h.rule AS rule,
  sum(h.requests) AS requests,
  min(h.first_seen) AS first_seen,
  max(h.last_seen) AS last_seen,
  max(h.retention_days) AS retention_days
FROM coverage_hours AS h
WHERE toYYYYMMDD(h.time) = {day} AND {day} NOT IN (SELECT toYYYYMMDD(time) FROM coverage_days)
GROUP BY org_id, site_id, time, level, route, method, class, part, parameter, researcher_id, outcome, status, reason, rule
SETTINGS optimize_aggregation_in_order = 1, max_bytes_before_external_group_by = 200000000,
  min_insert_block_size_rows = 1000000000, min_insert_block_size_bytes = 0, max_insert_threads = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS coverage_hours_view TO coverage_hours AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfHour(r.time) AS time,
  covered.1 AS level,
  r.route AS route,
  r.method AS method,
  covered.2 AS class,
  covered.3 AS part,
  covered.4 AS parameter,
  r.researcher_id AS researcher_id,
  r.outcome AS outcome,
  r.status AS status,
  r.reason AS reason,
  r.rule AS rule,
  sum(r.request_count) AS requests,
  min(r.time) AS first_seen,
  max(r.time) AS last_seen,
  max(r.retention_days) AS retention_days
FROM requests AS r
ARRAY JOIN arrayConcat(
  [(CAST('request', 'Enum8(\'request\' = 0, \'class\' = 1, \'parameter\' = 2)'), '', '', '')],
  arrayDistinct(arrayMap(hit -> (CAST('class', 'Enum8(\'request\' = 0, \'class\' = 1, \'parameter\' = 2)'), toString(r.hit_classes[hit]), '', ''),
    arrayFilter(hit -> NOT r.hit_excluded[hit], arrayEnumerate(r.hit_classes)))),
  arrayDistinct(arrayMap(hit -> (CAST('parameter', 'Enum8(\'request\' = 0, \'class\' = 1, \'parameter\' = 2)'), toString(r.hit_classes[hit]), toString(r.hit_parts[hit]), r.hit_parameters[hit]),
    arrayFilter(hit -> NOT r.hit_excluded[hit], arrayEnumerate(r.hit_classes))))
) AS covered
WHERE r.kind != 'websocket_close'
GROUP BY org_id, site_id, time, level, route, method, class, part, parameter, researcher_id, outcome, status, reason, rule;

CREATE MATERIALIZED VIEW IF NOT EXISTS coverage_days_cascade TO coverage_days AS
SELECT
  h.org_id AS org_id,
  h.site_id AS site_id,
  toDateTime(toStartOfDay(h.time)) AS time,
  h.level AS level,
  h.route AS route,
  h.method AS method,
  h.class AS class,
  h.part AS part,
  h.parameter AS parameter,
  h.researcher_id AS researcher_id,
  h.outcome AS outcome,
  h.status AS status,
  h.reason AS reason,
  h.rule AS rule,
  sum(h.requests) AS requests,
  min(h.first_seen) AS first_seen,
  max(h.last_seen) AS last_seen,
  max(h.retention_days) AS retention_days
FROM coverage_hours AS h
GROUP BY org_id, site_id, time, level, route, method, class, part, parameter, researcher_id, outcome, status, reason, rule;
