-- Coarser rollups are made of the finer ones that were just written, which hold a fraction of the rows, instead of the
-- requests. What they hold stays the same. Names of inserts are handed on from view to view, so that a repeated insert
-- still completes each rollup by itself and doubles none.
-- No insert may run while a view is exchanged: with several control planes on one server, stop all but one.
DROP VIEW IF EXISTS traffic_hours_view;

CREATE MATERIALIZED VIEW IF NOT EXISTS traffic_hours_cascade TO traffic_hours AS
SELECT
  m.org_id AS org_id,
  m.site_id AS site_id,
  toStartOfHour(m.time) AS time,
  m.outcome AS outcome,
  m.status_class AS status_class,
  sum(m.requests) AS requests,
  sum(m.hits) AS hits,
  sum(m.request_bytes) AS request_bytes,
  sum(m.response_bytes) AS response_bytes,
  max(m.last_seen) AS last_seen,
  max(m.retention_days) AS retention_days
FROM traffic_minutes AS m
GROUP BY org_id, site_id, time, outcome, status_class;

DROP VIEW IF EXISTS rules_hours_view;

CREATE MATERIALIZED VIEW IF NOT EXISTS rules_hours_cascade TO rules_hours AS
SELECT
  m.org_id AS org_id,
  m.site_id AS site_id,
  toStartOfHour(m.time) AS time,
  m.kind AS kind,
  m.rule AS rule,
  m.class AS class,
  m.severity AS severity,
  m.excluded AS excluded,
  m.researcher_id AS researcher_id,
  sum(m.hits) AS hits,
  sum(m.refused) AS refused,
  max(m.last_seen) AS last_seen,
  max(m.retention_days) AS retention_days
FROM rules_minutes AS m
GROUP BY org_id, site_id, time, kind, rule, class, severity, excluded, researcher_id;

DROP VIEW IF EXISTS routes_days_view;

CREATE MATERIALIZED VIEW IF NOT EXISTS routes_days_cascade TO routes_days AS
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
  max(h.retention_days) AS retention_days
FROM routes_hours AS h
GROUP BY org_id, site_id, time, host, route, outcome, status_class;

DROP VIEW IF EXISTS latency_days_view;

CREATE MATERIALIZED VIEW IF NOT EXISTS latency_days_cascade TO latency_days AS
SELECT
  h.org_id AS org_id,
  h.site_id AS site_id,
  toDateTime(toStartOfDay(h.time)) AS time,
  h.host AS host,
  h.route AS route,
  h.bucket AS bucket,
  sum(h.requests) AS requests,
  max(h.retention_days) AS retention_days
FROM latency_hours AS h
GROUP BY org_id, site_id, time, host, route, bucket;

-- Nobody plans queries by these statistics, and they cost a tenth of an insert.
ALTER TABLE requests MODIFY SETTING auto_statistics_types = '', merge_selector_base = 8;
