-- Who tried what on which operation, and what became of it. A request is counted at the level `request`, and once for each of its
-- classes of attack at the level `class`, so that counts of one level add up. Hits that an exclusion let pass are no attempts,
-- and neither are violations of the API definition, which are hits of the class `definition`.
-- The verdicts are those of `verdictOf` in the contract: a test compares the two.
-- No insert may run meanwhile: with several control planes on one server, stop all but one.

-- By operation, class and researcher, per hour: in the order in which one researcher is asked for, as whole days are in the next.
CREATE TABLE IF NOT EXISTS coverage_hours
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  level Enum8('request' = 0, 'class' = 1),
  route LowCardinality(String),
  method LowCardinality(String),
  class LowCardinality(String),
  researcher_id LowCardinality(String),
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
  uninspected SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  first_seen SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, researcher_id, time, level, route, method, class)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000, min_rows_to_fsync_after_merge = 1;

-- By operation and class per day, with who it was as a set: a map of a month reads a row for each cell and day.
CREATE TABLE IF NOT EXISTS coverage_days
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  level Enum8('request' = 0, 'class' = 1),
  route LowCardinality(String),
  method LowCardinality(String),
  class LowCardinality(String),
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
  uninspected SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  researchers SimpleAggregateFunction(groupUniqArrayArray, Array(String)),
  first_seen SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, level, route, method, class)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000, min_rows_to_fsync_after_merge = 1;

-- Attempts by class and operation with the place of the hit and what became of them, per hour: in the order in which one cell is asked for.
CREATE TABLE IF NOT EXISTS attempts_hours
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  class LowCardinality(String),
  route LowCardinality(String),
  method LowCardinality(String),
  part LowCardinality(String),
  parameter String CODEC(ZSTD(1)),
  researcher_id LowCardinality(String),
  outcome Enum8('origin' = 1, 'block' = 2, 'limit' = 3, 'firewall' = 4, 'gate' = 5, 'interrupted' = 6),
  status UInt16,
  reason LowCardinality(String),
  rule LowCardinality(String),
  attempts SimpleAggregateFunction(sum, UInt64),
  first_seen SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  last_seen SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, class, route, method, time, part, parameter, researcher_id, outcome, status, reason, rule)
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
  r.researcher_id AS researcher_id,
  sumIf(r.request_count, r.outcome = 'origin' AND r.status >= 500) AS server_error,
  sumIf(r.request_count, r.outcome = 'origin' AND r.status >= 100 AND r.status < 400) AS reached,
  sumIf(r.request_count, r.outcome = 'origin' AND r.status >= 400 AND r.status < 500 AND r.status != 429) AS refused_by_origin,
  sumIf(r.request_count, r.outcome = 'origin' AND r.status = 429) AS throttled_by_origin,
  sumIf(r.request_count, r.outcome = 'interrupted' OR r.outcome = 'origin' AND r.status < 100 OR r.outcome = 'gate' AND (startsWith(r.reason, 'origin_') OR r.reason = 'client_aborted')) AS unanswered,
  sumIf(r.request_count, r.outcome = 'firewall' AND r.reason = 'definition') AS definition,
  sumIf(r.request_count, r.outcome = 'limit') AS throttled,
  sumIf(r.request_count, r.outcome = 'firewall' AND r.reason != 'definition') AS firewall,
  sumIf(r.request_count, r.outcome = 'block') AS block,
  sumIf(r.request_count, r.outcome = 'gate' AND NOT startsWith(r.reason, 'origin_') AND r.reason != 'client_aborted') AS gate,
  sumIf(r.request_count, r.inspection = 'skipped' AND (r.outcome IN ('limit', 'block') OR r.outcome = 'gate' AND NOT startsWith(r.reason, 'origin_') AND r.reason != 'client_aborted')) AS uninspected,
  min(r.time) AS first_seen,
  max(r.time) AS last_seen,
  max(r.retention_days) AS retention_days
FROM requests AS r
ARRAY JOIN arrayConcat(
  [(CAST('request', 'Enum8(\'request\' = 0, \'class\' = 1)'), '')],
  arrayMap(class -> (CAST('class', 'Enum8(\'request\' = 0, \'class\' = 1)'), class),
    arrayDistinct(arrayMap(hit -> toString(r.hit_classes[hit]), arrayFilter(hit -> NOT r.hit_excluded[hit] AND r.hit_classes[hit] != 'definition', arrayEnumerate(r.hit_classes)))))
) AS covered
WHERE r.kind != 'websocket_close' AND toYYYYMMDD(r.time) = {day} AND {day} NOT IN (SELECT toYYYYMMDD(time) FROM coverage_hours)
GROUP BY org_id, site_id, time, level, route, method, class, researcher_id
SETTINGS optimize_aggregation_in_order = 1, max_bytes_before_external_group_by = 200000000,
  min_insert_block_size_rows = 1000000000, min_insert_block_size_bytes = 0, max_insert_threads = 1;

INSERT INTO coverage_days
(org_id, site_id, time, level, route, method, class, server_error, reached, refused_by_origin, throttled_by_origin, unanswered, definition, throttled, firewall, block, gate, uninspected, researchers, first_seen, last_seen, retention_days)
SELECT
  h.org_id AS org_id,
  h.site_id AS site_id,
  toDateTime(toStartOfDay(h.time)) AS time,
  h.level AS level,
  h.route AS route,
  h.method AS method,
  h.class AS class,
  sum(h.server_error) AS server_error,
  sum(h.reached) AS reached,
  sum(h.refused_by_origin) AS refused_by_origin,
  sum(h.throttled_by_origin) AS throttled_by_origin,
  sum(h.unanswered) AS unanswered,
  sum(h.definition) AS definition,
  sum(h.throttled) AS throttled,
  sum(h.firewall) AS firewall,
  sum(h.block) AS block,
  sum(h.gate) AS gate,
  sum(h.uninspected) AS uninspected,
  groupUniqArrayIf(toString(h.researcher_id), h.researcher_id != '') AS researchers,
  min(h.first_seen) AS first_seen,
  max(h.last_seen) AS last_seen,
  max(h.retention_days) AS retention_days
FROM coverage_hours AS h
WHERE toYYYYMMDD(h.time) = {day} AND {day} NOT IN (SELECT toYYYYMMDD(time) FROM coverage_days)
GROUP BY org_id, site_id, time, level, route, method, class
SETTINGS optimize_aggregation_in_order = 1, max_bytes_before_external_group_by = 200000000,
  min_insert_block_size_rows = 1000000000, min_insert_block_size_bytes = 0, max_insert_threads = 1;

INSERT INTO attempts_hours
(org_id, site_id, time, class, route, method, part, parameter, researcher_id, outcome, status, reason, rule, attempts, first_seen, last_seen, retention_days)
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfHour(r.time) AS time,
  attempt.1 AS class,
  r.route AS route,
  r.method AS method,
  attempt.2 AS part,
  attempt.3 AS parameter,
  r.researcher_id AS researcher_id,
  r.outcome AS outcome,
  r.status AS status,
  r.reason AS reason,
  r.rule AS rule,
  sum(r.request_count) AS attempts,
  min(r.time) AS first_seen,
  max(r.time) AS last_seen,
  max(r.retention_days) AS retention_days
FROM requests AS r
ARRAY JOIN arrayDistinct(arrayMap(hit -> (toString(r.hit_classes[hit]), toString(r.hit_parts[hit]), r.hit_parameters[hit]),
  arrayFilter(hit -> NOT r.hit_excluded[hit] AND r.hit_classes[hit] != 'definition', arrayEnumerate(r.hit_classes)))) AS attempt
WHERE r.kind != 'websocket_close' AND toYYYYMMDD(r.time) = {day} AND {day} NOT IN (SELECT toYYYYMMDD(time) FROM attempts_hours)
GROUP BY org_id, site_id, time, class, route, method, part, parameter, researcher_id, outcome, status, reason, rule
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
  r.researcher_id AS researcher_id,
  sumIf(r.request_count, r.outcome = 'origin' AND r.status >= 500) AS server_error,
  sumIf(r.request_count, r.outcome = 'origin' AND r.status >= 100 AND r.status < 400) AS reached,
  sumIf(r.request_count, r.outcome = 'origin' AND r.status >= 400 AND r.status < 500 AND r.status != 429) AS refused_by_origin,
  sumIf(r.request_count, r.outcome = 'origin' AND r.status = 429) AS throttled_by_origin,
  sumIf(r.request_count, r.outcome = 'interrupted' OR r.outcome = 'origin' AND r.status < 100 OR r.outcome = 'gate' AND (startsWith(r.reason, 'origin_') OR r.reason = 'client_aborted')) AS unanswered,
  sumIf(r.request_count, r.outcome = 'firewall' AND r.reason = 'definition') AS definition,
  sumIf(r.request_count, r.outcome = 'limit') AS throttled,
  sumIf(r.request_count, r.outcome = 'firewall' AND r.reason != 'definition') AS firewall,
  sumIf(r.request_count, r.outcome = 'block') AS block,
  sumIf(r.request_count, r.outcome = 'gate' AND NOT startsWith(r.reason, 'origin_') AND r.reason != 'client_aborted') AS gate,
  sumIf(r.request_count, r.inspection = 'skipped' AND (r.outcome IN ('limit', 'block') OR r.outcome = 'gate' AND NOT startsWith(r.reason, 'origin_') AND r.reason != 'client_aborted')) AS uninspected,
  min(r.time) AS first_seen,
  max(r.time) AS last_seen,
  max(r.retention_days) AS retention_days
FROM requests AS r
ARRAY JOIN arrayConcat(
  [(CAST('request', 'Enum8(\'request\' = 0, \'class\' = 1)'), '')],
  arrayMap(class -> (CAST('class', 'Enum8(\'request\' = 0, \'class\' = 1)'), class),
    arrayDistinct(arrayMap(hit -> toString(r.hit_classes[hit]), arrayFilter(hit -> NOT r.hit_excluded[hit] AND r.hit_classes[hit] != 'definition', arrayEnumerate(r.hit_classes)))))
) AS covered
WHERE r.kind != 'websocket_close'
GROUP BY org_id, site_id, time, level, route, method, class, researcher_id;

CREATE MATERIALIZED VIEW IF NOT EXISTS coverage_days_cascade TO coverage_days AS
SELECT
  h.org_id AS org_id,
  h.site_id AS site_id,
  toDateTime(toStartOfDay(h.time)) AS time,
  h.level AS level,
  h.route AS route,
  h.method AS method,
  h.class AS class,
  sum(h.server_error) AS server_error,
  sum(h.reached) AS reached,
  sum(h.refused_by_origin) AS refused_by_origin,
  sum(h.throttled_by_origin) AS throttled_by_origin,
  sum(h.unanswered) AS unanswered,
  sum(h.definition) AS definition,
  sum(h.throttled) AS throttled,
  sum(h.firewall) AS firewall,
  sum(h.block) AS block,
  sum(h.gate) AS gate,
  sum(h.uninspected) AS uninspected,
  groupUniqArrayIf(toString(h.researcher_id), h.researcher_id != '') AS researchers,
  min(h.first_seen) AS first_seen,
  max(h.last_seen) AS last_seen,
  max(h.retention_days) AS retention_days
FROM coverage_hours AS h
GROUP BY org_id, site_id, time, level, route, method, class;

CREATE MATERIALIZED VIEW IF NOT EXISTS attempts_hours_view TO attempts_hours AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfHour(r.time) AS time,
  attempt.1 AS class,
  r.route AS route,
  r.method AS method,
  attempt.2 AS part,
  attempt.3 AS parameter,
  r.researcher_id AS researcher_id,
  r.outcome AS outcome,
  r.status AS status,
  r.reason AS reason,
  r.rule AS rule,
  sum(r.request_count) AS attempts,
  min(r.time) AS first_seen,
  max(r.time) AS last_seen,
  max(r.retention_days) AS retention_days
FROM requests AS r
ARRAY JOIN arrayDistinct(arrayMap(hit -> (toString(r.hit_classes[hit]), toString(r.hit_parts[hit]), r.hit_parameters[hit]),
  arrayFilter(hit -> NOT r.hit_excluded[hit] AND r.hit_classes[hit] != 'definition', arrayEnumerate(r.hit_classes)))) AS attempt
WHERE r.kind != 'websocket_close'
GROUP BY org_id, site_id, time, class, route, method, part, parameter, researcher_id, outcome, status, reason, rule;
